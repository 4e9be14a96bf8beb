/* SPDX-License-Identifier: MIT */
/* Writes PNG. The bytes depend only on the image and the options, not on time, program name or
 * threads. libpng writes the chunks; block.c makes the data of the IDAT chunks: one chunk for each
 * block of rows, or several if the block's data exceed CHUNK_BYTES. */
#include "src/files/codec/png/png.h"
#include "src/files/codec/png/block.h"
#include "src/files/codec/carried.h"

#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <zlib.h> /* adler32_combine */

#define CHUNK_BYTES ((size_t)1 << 30) /* largest IDAT chunk */

/* The current image. libpng's errors jump to the setjmp of the function that called libpng last. */
struct writing {
    struct png_trouble trouble; /* first, since libpng's callbacks get a pointer to it */
    const struct image_writer *writer;
    struct metadata carried; /* owned: chunks with metadata from another format; or empty */
    struct carried exif;     /* owned: the data of all eXIf chunks, transposed; or empty */
    struct png_rows rows;
    png_structp png;
    png_infop info;
    uLong adler; /* Adler-32 checksum of the blocks written so far */
};

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    const struct writing *writing = png_get_io_ptr(png);

    if (image_writer_write(writing->writer, bytes, count, writing->trouble.error) != STATUS_OK)
        png_longjmp(png, 1);
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

static void drop_warning(png_structp png, png_const_charp text)
{
    (void)png, (void)text;
}

static int colour_type_of(const struct image *image)
{
    const int32_t channels = image->view.channels;

    return (channels > 2 ? PNG_COLOR_MASK_COLOR : 0) |
           (channels % 2 == 0 ? PNG_COLOR_MASK_ALPHA : 0);
}

/* Writes the metadata that precedes the samples, or, if `late`, that follows them. The caller has
 * called setjmp for libpng's errors. */
static void write_metadata(const struct writing *writing, bool late)
{
    const struct image *image = &writing->writer->written;

    png_chunks_write(writing->png,
                     image->format == FORMAT_PNG ? image->metadata : &writing->carried,
                     &image->changes, writing->exif.bytes, late);
}

/* The caller has called setjmp: any call of libpng may jump out of this function. */
static void write_header(struct writing *writing)
{
    const png_structp png = writing->png;
    const struct image *image = &writing->writer->written;

    png_set_write_fn(png, writing, write_bytes, flush_nothing);
    png_set_user_limits(png, INT_MAX, INT_MAX); /* libpng's default allows 10^6 */
    png_set_IHDR(png, writing->info, (png_uint_32)image->view.width,
                 (png_uint_32)image->view.height, writing->rows.depth, colour_type_of(image),
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info_before_PLTE(png, writing->info); /* writes IHDR */
    write_metadata(writing, false);
}

/* A block needs memory for up to three times the bytes of its rows: for the filtered rows, for the
 * compressed rows, and for an earlier block's compressed rows, which may wait to be written. */
static enum status prepare(struct image_writer *writer, const struct image *image,
                           struct error *error)
{
    const struct png_rows rows = png_rows_of(image, writer->options.scale);

    if (image->view.channels > 4)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: PNG holds 1 to 4 channels, but the image has %d; name the output .pam",
                    writer->name, (int)image->view.channels);
    writer->encodes = true;
    writer->block_rows = png_block_rows(&rows);
    writer->bytes = 3 * (writer->block_rows + 4) * (int64_t)(rows.row_bytes + 1) + ZLIB_BYTES;
    return STATUS_OK;
}

static enum status open_libpng(struct writing *writing)
{
    const struct png_trouble *trouble = &writing->trouble;

    writing->png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, writing, png_trouble_error, drop_warning);
    if (writing->png)
        writing->info = png_create_info_struct(writing->png);
    if (!writing->info)
        return fail(trouble->error, STATUS_OUTPUT, "%s: no memory for libpng", trouble->name);
    if (setjmp(png_jmpbuf(writing->png)) != 0)
        return STATUS_OUTPUT;
    write_header(writing);
    return STATUS_OK;
}

/* Makes the metadata that differs from the input's. It allocates memory, which a jump out of libpng
 * would lose, so the caller calls it before setjmp. Returns false if memory runs out. */
static bool make_metadata(struct writing *writing, const struct image *header)
{
    if (header->format != FORMAT_PNG)
        return png_chunks_carry(&writing->carried, header);
    return !header->changes.transposed || png_chunks_exif(header->metadata, &writing->exif);
}

static enum status begin(struct image_writer *writer, const struct image *header,
                         struct error *error)
{
    struct writing *writing = writer->writing;

    writing->trouble = (struct png_trouble){writer->name, STATUS_OUTPUT, error};
    writing->writer = writer;
    writing->rows = png_rows_of(header, writer->options.scale);
    writing->adler = adler32(0, NULL, 0);
    if (!make_metadata(writing, header))
        return image_writer_no_memory(writer, error);
    return open_libpng(writing);
}

/* The caller has called setjmp for libpng's errors. */
static void write_idat(png_structp png, const uint8_t *bytes, size_t count)
{
    for (size_t done = 0, now; done < count; done += now) {
        now = count - done < CHUNK_BYTES ? count - done : CHUNK_BYTES;
        png_write_chunk(png, (png_const_bytep) "IDAT", bytes + done, now);
    }
}

static enum status write_block(struct image_writer *writer, int64_t index,
                               const struct turn_part *block, struct error *error)
{
    struct writing *writing = writer->writing;
    const bool ends = index > 0 && index + 1 == writer->turns.count;

    writing->trouble.error = error;
    if (setjmp(png_jmpbuf(writing->png)) != 0)
        return STATUS_OUTPUT;
    writing->adler = adler32_combine(writing->adler, block->adler, (z_off_t)block->raw_bytes);
    if (ends)
        png_save_uint_32(block->bytes + block->count, (png_uint_32)writing->adler);
    write_idat(writing->png, block->bytes, block->count + (ends ? CHECKSUM_BYTES : 0));
    return STATUS_OK;
}

static enum status make_block(const struct image_writer *writer, int64_t first, int64_t count,
                              const struct image *image, int64_t from, struct turn_part *block,
                              struct error *error)
{
    const struct writing *writing = writer->writing;

    return png_block_make(block, &writing->rows, (int)writer->options.png_level, image, from, count,
                          first == 0, first + count == writer->written.view.height)
               ? STATUS_OK
               : image_writer_no_memory(writer, error);
}

/* Writes IEND by png_write_chunk, like the IDAT chunks. png_write_end would fail, since libpng does
 * not know that IDAT chunks have been written. */
static enum status end(struct image_writer *writer, struct error *error)
{
    struct writing *writing = writer->writing;

    writing->trouble.error = error;
    if (setjmp(png_jmpbuf(writing->png)) != 0)
        return STATUS_OUTPUT;
    write_metadata(writing, true);
    png_write_chunk(writing->png, (png_const_bytep) "IEND", NULL, 0);
    return STATUS_OK;
}

static void discard(void *state)
{
    struct writing *writing = state;

    png_destroy_write_struct(&writing->png, &writing->info);
    metadata_clear(&writing->carried);
    free(writing->exif.bytes);
}

const struct encoder png_encoder = {
    .writing_bytes = sizeof(struct writing),
    .one_image = true,
    .prepare = prepare,
    .begin = begin,
    .make_part = make_block,
    .write_part = write_block,
    .end = end,
    .discard = discard,
};
