/* SPDX-License-Identifier: MIT */
/* Decides which segments of metadata are kept, and under which names. Writes them, and metadata
 * that was read from other formats. */
#include "src/files/codec/jpeg/jpeg.h"

#include <stdlib.h>
#include <string.h>

/* The segments that are kept. Each becomes an item of metadata without the segment's first bytes,
 * which are `head`. head_bytes is the length of `head` with its final zero byte; 0 for COM. */
static const struct kind {
    char item[5];
    int marker;
    const char *head;
    size_t head_bytes;
} kinds[] = {
    {"EXIF", JPEG_APP0 + 1, SEGMENT_EXIF, sizeof SEGMENT_EXIF},
    {"XMP ", JPEG_APP0 + 1, SEGMENT_XMP, sizeof SEGMENT_XMP},
    /* Further parts of a long XMP packet; the packet's first part refers to them. */
    {"XMP+", JPEG_APP0 + 1, "http://ns.adobe.com/xmp/extension/", 35},
    {"ICC ", JPEG_APP0 + 2, SEGMENT_PROFILE, sizeof SEGMENT_PROFILE},
    {"IPTC", JPEG_APP0 + 13, "Photoshop 3.0", 14},
    {"COM ", JPEG_COM, "", 0},
};
#define KINDS (sizeof kinds / sizeof *kinds)

#define RESOLUTION "JFIF" /* item: the unit, 1 byte, and the density in x and y, 2 bytes each */
#define RESOLUTION_BYTES 5

static const struct kind *kind_of(int marker, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].marker == marker && count >= kinds[i].head_bytes &&
            memcmp(bytes, kinds[i].head, kinds[i].head_bytes) == 0)
            return &kinds[i];
    return NULL;
}

/* Notes an unknown segment by its marker's number: the name that the segment itself contains may
 * have any bytes. */
static void note_unknown(struct metadata_notes *notes, int marker)
{
    char name[16];

    snprintf(name, sizeof name, "APP%d", marker - JPEG_APP0);
    metadata_note(notes, name, "not kept");
}

enum status jpeg_segment_read(struct image_reader *reader, int marker, const uint8_t *bytes,
                              size_t count, struct error *error)
{
    const struct kind *kind = kind_of(marker, bytes, count);
    char what[32];

    reader->curve.has_profile |= kind && strcmp(kind->item, "ICC ") == 0;
    if (!kind && reader->max_metadata > 0)
        note_unknown(&reader->metadata.left_out, marker);
    if (!kind)
        return STATUS_OK;
    snprintf(what, sizeof what, "the segment %.*s", (int)strcspn(kind->item, " "), kind->item);
    return image_reader_keep(reader, kind->item, what, bytes + kind->head_bytes,
                             count - kind->head_bytes, error);
}

/* Sorts the parts of a profile. Each part begins with its number and the number of parts. Returns
 * false unless each part is there exactly once. */
static bool sort_profile(struct metadata *metadata)
{
    struct metadata_item parts[SEGMENT_MAX_PARTS + 1] = {{.count = 0}};
    size_t places[SEGMENT_MAX_PARTS + 1];
    int count = 0, all = 0;

    for (size_t i = 0; i < metadata->count; i++) {
        const struct metadata_item *item = &metadata->items[i];
        int number;

        if (strcmp(item->name, "ICC ") != 0)
            continue;
        if (item->count <= SEGMENT_PART_BYTES || (count > 0 && item->bytes[1] != all))
            return false;
        number = item->bytes[0];
        all = item->bytes[1];
        if (number < 1 || number > all || parts[number].bytes)
            return false;
        parts[number] = *item;
        places[++count] = i;
    }
    for (int i = 1; i <= count && count == all; i++)
        metadata->items[places[i]] = parts[i];
    return count == all;
}

bool jpeg_segments_complete(struct image_reader *reader, const struct jpeg_decompress_struct *jpeg)
{
    struct metadata *metadata = &reader->metadata;
    const uint8_t resolution[RESOLUTION_BYTES] = {
        jpeg->density_unit, (uint8_t)(jpeg->X_density >> 8), (uint8_t)jpeg->X_density,
        (uint8_t)(jpeg->Y_density >> 8), (uint8_t)jpeg->Y_density};
    size_t count;

    if (!sort_profile(metadata)) {
        metadata_note(&metadata->damaged, "ICC profile", "not all of its parts");
        metadata_remove_all(metadata, "ICC ", 0);
    }
    count = metadata->count;
    metadata_remove_all(metadata, "EXIF", 1);
    if (metadata->count < count)
        metadata_note(&metadata->left_out, "EXIF", "a second one");
    return reader->max_metadata == 0 || !jpeg->saw_JFIF_marker ||
           metadata_copy(metadata, RESOLUTION, resolution, sizeof resolution);
}

static void write_after(struct jpeg_compress_struct *jpeg, const struct kind *kind,
                        const uint8_t *bytes, size_t count)
{
    jpeg_write_m_header(jpeg, kind->marker, (unsigned)(kind->head_bytes + count));
    for (size_t i = 0; i < kind->head_bytes; i++)
        jpeg_write_m_byte(jpeg, kind->head[i]);
    for (size_t i = 0; i < count; i++)
        jpeg_write_m_byte(jpeg, bytes[i]);
}

/* Writes the image's metadata of this kind, if there is any. */
static bool write_carried(struct jpeg_compress_struct *jpeg, const struct image *header,
                          enum carried_kind kind, struct carried *carried)
{
    const bool good = carried_find(header, FORMAT_JPEG, kind, carried);

    if (good && carried->count > 0 && kind == CARRIED_PROFILE)
        jpeg_write_icc_profile(jpeg, carried->bytes, (unsigned)carried->count);
    else if (good && carried->count > 0)
        write_after(jpeg, &kinds[kind == CARRIED_XMP], carried->bytes, carried->count);
    free(carried->bytes);
    carried->bytes = NULL;
    return good;
}

bool jpeg_segments_write(struct jpeg_compress_struct *jpeg, const struct image *header,
                         struct carried *carried)
{
    const struct metadata *metadata = header->metadata;
    const bool good = write_carried(jpeg, header, CARRIED_EXIF, carried);

    if (header->format != FORMAT_JPEG)
        return good && write_carried(jpeg, header, CARRIED_XMP, carried) &&
               write_carried(jpeg, header, CARRIED_PROFILE, carried);
    for (size_t i = 0; metadata && i < metadata->count; i++)
        for (size_t kind = 1; kind < KINDS; kind++) /* kinds[0], EXIF, is written above */
            if (strcmp(metadata->items[i].name, kinds[kind].item) == 0)
                write_after(jpeg, &kinds[kind], metadata->items[i].bytes, metadata->items[i].count);
    return good;
}

void jpeg_segments_resolution(struct jpeg_compress_struct *jpeg, const struct image *header)
{
    const bool from_jpeg = header->format == FORMAT_JPEG;
    const struct metadata_item *item =
        from_jpeg ? metadata_find(header->metadata, RESOLUTION) : NULL;
    const int x = header->changes.transposed ? 3 : 1, y = 4 - x;

    /* Cameras write EXIF without JFIF; for their files the output has no JFIF either. */
    jpeg->write_JFIF_header =
        item || !from_jpeg || !metadata_find(header->metadata, "EXIF") ? TRUE : FALSE;
    if (!item)
        return;
    jpeg->density_unit = item->bytes[0];
    jpeg->X_density = (UINT16)(item->bytes[x] << 8 | item->bytes[x + 1]);
    jpeg->Y_density = (UINT16)(item->bytes[y] << 8 | item->bytes[y + 1]);
}
