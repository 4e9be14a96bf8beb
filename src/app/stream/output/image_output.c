/* SPDX-License-Identifier: MIT */
#include "src/app/stream/output/image_output.h"

#include "src/files/codec/carried.h"
#include "src/files/codec/exif.h"
#include "src/files/codec/rows/encoding.h"

#include <string.h>

/* The extension that decides the output's format, or NULL: the input's format decides. */
static const char *deciding_extension(const struct output_options *options, const char *path,
                                      bool same_format)
{
    if (options->format)
        return options->format;
    return same_format || strcmp(path, "-") == 0 ? NULL : format_extension(path);
}

enum status image_output_check_name(const struct output_options *options, const char *path,
                                    bool same_format, struct error *error)
{
    const char *extension = deciding_extension(options, path, same_format);
    enum format unused;

    if (!extension || format_of_extension(extension, NULL, &unused))
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s: cannot write .%s; supported: .pgm .ppm .pbm .pam .pnm .png .jpg .jpeg .tif "
                ".tiff .npy; or use --format",
                path, extension);
}

enum status image_output_open(struct image_output *destination,
                              const struct output_options *options, const char *path,
                              bool same_format, struct error *error)
{
    const enum status status = output_open(&destination->file, path, options->no_clobber, error);

    if (status != STATUS_OK)
        return status;
    destination->extension = deciding_extension(options, path, same_format);
    destination->writer = (struct image_writer){
        .file = destination->file.file,
        .name = destination->file.name,
        .own_file = destination->file.target != NULL,
        .options = options->write,
    };
    return STATUS_OK;
}

static void choose_format(struct image_output *destination, const struct image *image)
{
    const struct image file = image_file_header(image);

    destination->writer.format = image->format;
    if (destination->extension)
        format_of_extension(destination->extension, &file, &destination->writer.format);
}

enum status image_output_check(struct image_output *destination, const struct image *image,
                               struct error *error)
{
    choose_format(destination, image);
    return image_writer_check(&destination->writer, image, error);
}

enum status image_output_put(struct image_output *destination, const struct image *image,
                             struct error *error)
{
    choose_format(destination, image);
    return image_writer_put(&destination->writer, image, error);
}

enum status image_output_commit(struct image_output *destination, int64_t *bytes,
                                struct error *error)
{
    enum status status;

    image_writer_close(&destination->writer);
    status = output_commit(&destination->file, error);

    *bytes = destination->file.bytes;
    return status;
}

void image_output_abandon(struct image_output *destination)
{
    image_writer_close(&destination->writer);
    output_abandon(&destination->file);
}

/* The metadata of a format that a person would miss. */
static const struct {
    enum format format;
    const char *item, *kind;
} kinds[] = {
    {FORMAT_PAM, METADATA_COMMENT, "comments"},
    {FORMAT_PNG, "iCCP", "colour profile"},
    {FORMAT_PNG, "cICP", "colour profile"},
    {FORMAT_PNG, "eXIf", "EXIF"},
    {FORMAT_PNG, "tEXt", "texts"},
    {FORMAT_PNG, "zTXt", "texts"},
    {FORMAT_PNG, "iTXt", "texts"},
    {FORMAT_JPEG, "COM ", "comments"},
    {FORMAT_JPEG, "ICC ", "colour profile"},
    {FORMAT_JPEG, "EXIF", "EXIF"},
    {FORMAT_JPEG, "XMP ", "XMP"},
    {FORMAT_JPEG, "IPTC", "IPTC"},
    {FORMAT_TIFF, "8773", "colour profile"},
    {FORMAT_TIFF, "010e", "description"},
    {FORMAT_TIFF, "0112", "orientation"},
    {FORMAT_TIFF, "02bc", "XMP"},
};

/* Is there such an item, which the output does not have? */
static bool loses(const struct metadata *metadata, const char *item, enum format output)
{
    for (size_t i = 0; i < metadata->count; i++)
        if (strcmp(metadata->items[i].name, item) == 0 &&
            !carried_takes(output, &metadata->items[i]))
            return true;
    return false;
}

void not_carried_note(const struct metadata *metadata, enum format output, bool only_moved,
                      struct metadata_notes *notes)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!format_same_family(kinds[i].format, output) &&
            loses(metadata, kinds[i].item, output) && !strstr(notes->text, kinds[i].kind))
            metadata_note(notes, NULL, kinds[i].kind);
    }
    if (!carried_has_orientation(output) &&
        carried_orientation(metadata) != ORIENTATION_AS_STORED &&
        !strstr(notes->text, "orientation"))
        metadata_note(notes, NULL, "orientation");
    if (output == FORMAT_PNG && only_moved && strstr(metadata->left_out.text, "PLTE"))
        metadata_note(notes, NULL, "palette (the colours are RGB)");
    if (strstr(metadata->left_out.text, "acTL"))
        metadata_note(notes, NULL, "animation (all frames but the still image)");
}
