/* SPDX-License-Identifier: MIT */
#include "codec_png_chunks.h"
#include "codec_png_known.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE_BYTES 8
#define CRC_BYTES 4

enum status png_take_bytes(struct source *source, uint8_t *bytes, size_t count, struct error *error)
{
    if (fread(bytes, 1, count, source->file) == count)
        return STATUS_OK;
    return source_short(source, "the middle of a chunk", error);
}

uint32_t png_number(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

struct png_name png_name_of(const uint8_t head[PNG_HEAD_BYTES])
{
    struct png_name name = {""};

    for (int i = 0; i < 4; i++)
        name.text[i] = isalpha(head[4 + i]) ? (char)head[4 + i] : '?';
    return name;
}

void png_chunks_begin(struct png_chunks *chunks, struct source *source)
{
    *chunks = (struct png_chunks){.source = source, .pass = SIGNATURE_BYTES};
}

static enum status skip_bytes(const struct png_chunks *chunks, uint64_t count, struct error *error)
{
    uint8_t piece[4096];
    enum status status = STATUS_OK;

    for (size_t now; count > 0 && status == STATUS_OK; count -= now) {
        now = count < sizeof piece ? (size_t)count : sizeof piece;
        status = png_take_bytes(chunks->source, piece, now, error);
    }
    return status;
}

/* What is no chunk at all, or comes before the header, is for libpng to refuse. */
static bool is_metadata(const struct png_chunks *chunks)
{
    const uint8_t *head = chunks->head, *name = head + 4;

    return chunks->place != BEFORE_HEADER && png_number(head) <= PNG_CHUNK_MAX_BYTES &&
           isalpha(name[0]) && isalpha(name[1]) && isalpha(name[2]) && isalpha(name[3]) &&
           islower(name[0]) && memcmp(name, "tRNS", 4) != 0;
}

/* Why a chunk that could be kept is damaged, or NULL. */
static const char *fault_of(const struct png_chunks *chunks, const char *name, const uint8_t *bytes,
                            uint32_t count, const uint8_t crc[CRC_BYTES])
{
    const uLong sum = crc32(crc32(0, (const Bytef *)name, 4), bytes, count);

    if (sum != png_number(crc))
        return "wrong CRC";
    if (chunks->kept & png_chunk_bit(name))
        return "a second one";
    return png_chunk_fault(name, chunks->place, bytes, count);
}

/* Memory is taken once the length is known to be within the limit, and in the file. */
static enum status keep(struct png_chunks *chunks, const char *name, uint32_t count,
                        struct error *error)
{
    struct source *source = chunks->source;
    struct metadata *metadata = &source->metadata;
    const int64_t position = ftello(source->file);
    uint8_t *bytes, crc[CRC_BYTES];
    const char *fault;
    enum status status;

    if (!metadata_has_room(metadata, count, source->max_metadata)) {
        char what[32];

        snprintf(what, sizeof what, "the chunk %s", name);
        return metadata_too_large(source->name, what, source->max_metadata, error);
    }
    if (source->file_bytes >= 0 && position >= 0 && count > source->file_bytes - position)
        return source_short(source, "the middle of a chunk", error);
    bytes = malloc(count > 0 ? count : 1);
    if (!bytes)
        return fail(error, STATUS_INPUT, "%s: no memory for its metadata", source->name);
    status = png_take_bytes(chunks->source, bytes, count, error);
    if (status == STATUS_OK)
        status = png_take_bytes(chunks->source, crc, sizeof crc, error);
    fault = status == STATUS_OK ? fault_of(chunks, name, bytes, count, crc) : NULL;
    if (fault)
        metadata_note(&metadata->damaged, name, fault);
    else
        chunks->kept |= png_chunk_bit(name);
    if (status != STATUS_OK || fault)
        free(bytes);
    else if (!metadata_add(metadata, name, chunks->place == BEHIND_SAMPLES, bytes, count))
        return fail(error, STATUS_INPUT, "%s: no memory for its metadata", source->name);
    return status;
}

/* A chunk of metadata whose head has been read. */
static enum status take_metadata(struct png_chunks *chunks, struct error *error)
{
    const uint32_t count = png_number(chunks->head);
    char name[5] = "";
    const char *reason;

    memcpy(name, chunks->head + 4, 4);
    reason = png_chunk_why_not(name);
    if (chunks->source->max_metadata > 0 && !reason)
        return keep(chunks, name, count, error);
    if (chunks->source->max_metadata > 0)
        metadata_note(&chunks->source->metadata.left_out, name, reason);
    return skip_bytes(chunks, (uint64_t)count + CRC_BYTES, error);
}

/* May a chunk that makes pixels, or may make them, be here? The first is IHDR; IDAT chunks follow
 * each other, and after them no critical chunk but IEND is left. */
static enum status check_place(const struct png_chunks *chunks, struct error *error)
{
    const char *file = chunks->source->name;
    const struct png_name name = png_name_of(chunks->head);
    const bool late = chunks->place == BEHIND_SAMPLES;

    if (chunks->place == BEFORE_HEADER && strcmp(name.text, "IHDR") != 0)
        return fail(
            error, STATUS_INPUT,
            "%s: damaged: the chunk %s is before the header (IHDR), which must be the first", file,
            name.text);
    if (late && strcmp(name.text, "IDAT") == 0)
        return fail(error, STATUS_INPUT,
                    "%s: damaged: another chunk is between those of the image data (IDAT)", file);
    if (late && isupper(name.text[0]) && strcmp(name.text, "IEND") != 0)
        return fail(error, STATUS_INPUT,
                    "%s: damaged: the chunk %s is after the image data (IDAT), where no chunk that "
                    "makes pixels may be",
                    file, name.text);
    return STATUS_OK;
}

/* The next chunk for libpng, whose head has been read. */
static enum status pass_on(struct png_chunks *chunks, struct error *error)
{
    const uint8_t *name = chunks->head + 4;
    const enum status status = check_place(chunks, error);

    if (status != STATUS_OK)
        return status;
    if (memcmp(name, "IDAT", 4) == 0) {
        chunks->place = IN_SAMPLES;
        return png_samples_begin(&chunks->samples, chunks->source, chunks->head, error);
    }
    if (chunks->place == BEFORE_HEADER)
        chunks->place = BEFORE_PALETTE;
    if (memcmp(name, "PLTE", 4) == 0 && chunks->place == BEFORE_PALETTE)
        chunks->place = BEFORE_SAMPLES;
    chunks->head_left = sizeof chunks->head;
    chunks->pass = (uint64_t)png_number(chunks->head) + CRC_BYTES;
    return STATUS_OK;
}

static enum status take_head(struct png_chunks *chunks, struct error *error)
{
    if (chunks->place != IN_SAMPLES)
        return png_take_bytes(chunks->source, chunks->head, sizeof chunks->head, error);
    chunks->place = BEHIND_SAMPLES;
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
            status = png_take_bytes(chunks->source, bytes, now, error);
            chunks->pass -= now;
        } else if (chunks->place == IN_SAMPLES) {
            status = png_samples_read(&chunks->samples, bytes, count, &now, error);
        }
        if (now == 0 && status == STATUS_OK)
            status = next_chunk(chunks, error);
        bytes += now;
        count -= now;
    }
    return status;
}

void png_chunks_drop(struct png_chunks *chunks)
{
    png_samples_drop(&chunks->samples);
}
