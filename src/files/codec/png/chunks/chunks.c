/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/chunks/chunks.h"
#include "src/files/codec/png/chunks/chunk_rules.h"

#include "src/files/codec/carried.h"
#include "src/files/codec/exif.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE_BYTES 8
#define CRC_BYTES 4
#define STRIPPED_LIMIT (1 << 17) /* bytes of the chunks that is_wanted_always names, amply */

enum status png_take_bytes(struct image_reader *reader, uint8_t *bytes, size_t count,
                           struct error *error)
{
    if (fread(bytes, 1, count, reader->file) == count)
        return STATUS_OK;
    return image_reader_short(reader, "the middle of a chunk", error);
}

struct png_name png_name_of(const uint8_t head[PNG_HEAD_BYTES])
{
    struct png_name name = {""};

    for (int i = 0; i < 4; i++)
        name.text[i] = isalpha(head[4 + i]) ? (char)head[4 + i] : '?';
    return name;
}

void png_chunks_begin(struct png_chunks *chunks, struct image_reader *reader)
{
    *chunks = (struct png_chunks){.reader = reader, .pass = SIGNATURE_BYTES};
}

static enum status skip_bytes(const struct png_chunks *chunks, uint64_t count, struct error *error)
{
    uint8_t block[4096];
    enum status status = STATUS_OK;

    for (size_t now; count > 0 && status == STATUS_OK; count -= now) {
        now = count < sizeof block ? (size_t)count : sizeof block;
        status = png_take_bytes(chunks->reader, block, now, error);
    }
    return status;
}

/* Not for a malformed chunk, or one before the header: libpng refuses those. */
static bool is_metadata(const struct png_chunks *chunks)
{
    const uint8_t *head = chunks->head, *name = head + 4;

    return chunks->position != BEFORE_HEADER && png_get_uint_32(head) <= PNG_CHUNK_MAX_BYTES &&
           isalpha(name[0]) && isalpha(name[1]) && isalpha(name[2]) && isalpha(name[3]) &&
           islower(name[0]) && memcmp(name, "tRNS", 4) != 0;
}

/* What is wrong with a chunk of metadata, or NULL. */
static const char *fault_of(const struct png_chunks *chunks, const char *name, const uint8_t *bytes,
                            uint32_t count, const uint8_t crc[CRC_BYTES])
{
    const uint32_t sum = (uint32_t)crc32_z(crc32_z(0, (const uint8_t *)name, 4), bytes, count);

    if (sum != png_get_uint_32(crc))
        return "wrong checksum";
    if (chunks->kept & png_chunk_bit(name))
        return "duplicate";
    return png_chunk_fault(name, chunks->position, bytes, count);
}

static bool is_profile(const char *name)
{
    return strcmp(name, "iCCP") == 0 || strcmp(name, "cICP") == 0;
}

/* Is it read also where no metadata is kept? What linear light needs, and the orientation. */
static bool is_wanted_always(const struct image_reader *reader, const char *name, uint32_t count)
{
    if (strcmp(name, "eXIf") == 0)
        return reader->keep_orientation && count <= SEGMENT_MAX_BYTES; /* as long as in a JPEG */
    return reader->lights && count <= 4 && (strcmp(name, "gAMA") == 0 || strcmp(name, "sRGB") == 0);
}

/* Of a chunk without a fault. */
static void note_good(struct png_chunks *chunks, const char *name, const uint8_t *bytes)
{
    struct image_curve *curve = &chunks->reader->curve;

    chunks->kept |= png_chunk_bit(name);
    if (strcmp(name, "sRGB") == 0)
        curve->is_srgb = true;
    else if (strcmp(name, "gAMA") == 0)
        curve->gamma = png_get_uint_32(bytes);
    else
        curve->has_profile |= is_profile(name);
}

/* Takes over the bytes of a good chunk. False without memory. */
static bool add(struct png_chunks *chunks, const char *name, uint8_t *bytes, uint32_t count)
{
    struct metadata *metadata = &chunks->reader->metadata;
    uint8_t only[EXIF_ORIENTATION_BYTES];
    size_t left;

    if (chunks->reader->max_metadata > 0)
        return metadata_add(metadata, name, chunks->position == AFTER_SAMPLES, bytes, count);
    left = strcmp(name, "eXIf") == 0 ? exif_only_orientation(bytes, count, only) : 0;
    free(bytes);
    return left == 0 || metadata_copy(metadata, name, only, left);
}

/* Allocates only after checking the length against the limit and the file. */
static enum status keep(struct png_chunks *chunks, const char *name, uint32_t count,
                        struct error *error)
{
    struct image_reader *reader = chunks->reader;
    struct metadata *metadata = &reader->metadata;
    const int64_t limit = reader->max_metadata > 0 ? reader->max_metadata : STRIPPED_LIMIT;
    const int64_t position = ftello(reader->file);
    uint8_t *bytes, crc[CRC_BYTES];
    const char *fault;
    enum status status;

    if (!metadata_has_room(metadata, count, limit)) {
        char what[32];

        snprintf(what, sizeof what, "the chunk %s", name);
        return metadata_too_large(reader->name, what, limit, error);
    }
    if (reader->file_bytes >= 0 && position >= 0 && count > reader->file_bytes - position)
        return image_reader_short(reader, "the middle of a chunk", error);
    bytes = malloc(count > 0 ? count : 1);
    if (!bytes)
        return image_reader_no_metadata(reader, error);
    status = png_take_bytes(chunks->reader, bytes, count, error);
    if (status == STATUS_OK)
        status = png_take_bytes(chunks->reader, crc, sizeof crc, error);
    fault = status == STATUS_OK ? fault_of(chunks, name, bytes, count, crc) : NULL;
    if (fault)
        metadata_note(&metadata->damaged, name, fault);
    else if (status == STATUS_OK)
        note_good(chunks, name, bytes);
    if (status != STATUS_OK || fault)
        free(bytes);
    else if (!add(chunks, name, bytes, count))
        return image_reader_no_metadata(reader, error);
    return status;
}

/* Keeps or skips a chunk of metadata; its head has been read. */
static enum status take_metadata(struct png_chunks *chunks, struct error *error)
{
    struct image_reader *reader = chunks->reader;
    const uint32_t count = png_get_uint_32(chunks->head);
    char name[5] = "";
    const char *reason;

    memcpy(name, chunks->head + 4, 4);
    reason = png_chunk_why_not(name, reader->as_stored);
    if ((reader->max_metadata > 0 && !reason) || is_wanted_always(reader, name, count))
        return keep(chunks, name, count, error);
    if (reader->max_metadata > 0)
        metadata_note(&reader->metadata.left_out, name, reason);
    reader->curve.has_profile |= is_profile(name);
    return skip_bytes(chunks, (uint64_t)count + CRC_BYTES, error);
}

/* Checks the position of a chunk for libpng: IHDR is the first, IDAT chunks are contiguous, and
 * IEND is the only critical chunk after them. */
static enum status check_position(const struct png_chunks *chunks, struct error *error)
{
    const char *file = chunks->reader->name;
    const struct png_name name = png_name_of(chunks->head);
    const bool late = chunks->position == AFTER_SAMPLES;

    if (chunks->position == BEFORE_HEADER && strcmp(name.text, "IHDR") != 0)
        return fail(error, STATUS_INPUT, "%s: damaged: chunk %s before the header (IHDR)", file,
                    name.text);
    if (late && strcmp(name.text, "IDAT") == 0)
        return fail(error, STATUS_INPUT,
                    "%s: damaged: another chunk between two chunks of image data (IDAT)", file);
    if (late && isupper(name.text[0]) && strcmp(name.text, "IEND") != 0)
        return fail(error, STATUS_INPUT,
                    "%s: damaged: chunk %s not allowed after the image data (IDAT)", file,
                    name.text);
    return STATUS_OK;
}

/* Begins a chunk for libpng; its head has been read. */
static enum status pass_on(struct png_chunks *chunks, struct error *error)
{
    const uint8_t *name = chunks->head + 4;
    const enum status status = check_position(chunks, error);

    if (status != STATUS_OK)
        return status;
    if (memcmp(name, "IDAT", 4) == 0) {
        chunks->position = IN_SAMPLES;
        return png_samples_begin(&chunks->samples, chunks->reader, chunks->head, error);
    }
    if (chunks->position == BEFORE_HEADER)
        chunks->position = BEFORE_PALETTE;
    if (memcmp(name, "PLTE", 4) == 0 && chunks->position == BEFORE_PALETTE)
        chunks->position = BEFORE_SAMPLES;
    chunks->head_left = sizeof chunks->head;
    chunks->pass = (uint64_t)png_get_uint_32(chunks->head) + CRC_BYTES;
    return STATUS_OK;
}

static enum status take_head(struct png_chunks *chunks, struct error *error)
{
    if (chunks->position != IN_SAMPLES)
        return png_take_bytes(chunks->reader, chunks->head, sizeof chunks->head, error);
    chunks->position = AFTER_SAMPLES;
    return png_samples_finish(&chunks->samples, chunks->head, error);
}

static enum status next_chunk(struct png_chunks *chunks, struct error *error)
{
    enum status status = take_head(chunks, error);

    while (status == STATUS_OK && is_metadata(chunks)) {
        status = take_metadata(chunks, error);
        if (status == STATUS_OK)
            status = take_head(chunks, error);
    }
    return status == STATUS_OK ? pass_on(chunks, error) : status;
}

enum status png_chunks_read(struct png_chunks *chunks, uint8_t *bytes, size_t count,
                            struct error *error)
{
    enum status status = STATUS_OK;

    while (count > 0 && status == STATUS_OK) {
        size_t now = 0;

        if (chunks->head_left > 0) {
            now = chunks->head_left < count ? chunks->head_left : count;
            memcpy(bytes, chunks->head + sizeof chunks->head - chunks->head_left, now);
            chunks->head_left -= now;
        } else if (chunks->pass > 0) {
            now = chunks->pass < count ? (size_t)chunks->pass : count;
            status = png_take_bytes(chunks->reader, bytes, now, error);
            chunks->pass -= now;
        } else if (chunks->position == IN_SAMPLES) {
            status = png_samples_read(&chunks->samples, bytes, count, &now, error);
        }
        if (now == 0 && status == STATUS_OK)
            status = next_chunk(chunks, error);
        bytes += now;
        count -= now;
    }
    return status;
}
