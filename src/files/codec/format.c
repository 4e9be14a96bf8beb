/* SPDX-License-Identifier: MIT */
#include "src/files/codec/format.h"

#include <string.h>
#include <strings.h>

static const char *const words[] = {
    [FORMAT_PBM] = "PBM", [FORMAT_PGM] = "PGM", [FORMAT_PPM] = "PPM",   [FORMAT_PAM] = "PAM",
    [FORMAT_PNG] = "PNG", [FORMAT_NPY] = "NPY", [FORMAT_TIFF] = "TIFF", [FORMAT_JPEG] = "JPEG",
};

const char *format_word(enum format format)
{
    return words[format];
}

enum format format_natural(const struct image *image)
{
    const int32_t channels = image->view.channels;

    if (image->format == FORMAT_PAM)
        return FORMAT_PAM;
    if (image->format == FORMAT_PBM && channels == 1 && image->maxval == 1)
        return FORMAT_PBM;
    if (channels == 1)
        return FORMAT_PGM;
    return channels == 3 ? FORMAT_PPM : FORMAT_PAM;
}

bool format_same_family(enum format a, enum format b)
{
    return a == b || (a <= FORMAT_PAM && b <= FORMAT_PAM);
}

const char *format_extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot && dot > name ? dot + 1 : NULL;
}

bool format_of_extension(const char *extension, const struct image *image, enum format *format)
{
    const char *word = strcasecmp(extension, "tif") == 0   ? "TIFF"
                       : strcasecmp(extension, "jpg") == 0 ? "JPEG"
                                                           : extension;

    if (strcasecmp(extension, "pnm") == 0) {
        *format = image ? format_natural(image) : FORMAT_PAM;
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(word, words[i]) == 0) {
            *format = (enum format)i;
            return true;
        }
    return false;
}

bool format_is_named(const char *path)
{
    const char *extension = format_extension(path);
    enum format unused;

    return extension && format_of_extension(extension, NULL, &unused);
}

bool format_is_camera_raw(const char *path)
{
    static const char *const raws[] = {"3fr", "arw", "cr2", "dcr", "dng", "erf", "iiq",
                                       "kdc", "nef", "nrw", "pef", "sr2", "srw"};
    const char *extension = format_extension(path);

    for (size_t i = 0; i < sizeof raws / sizeof *raws && extension; i++)
        if (strcasecmp(extension, raws[i]) == 0)
            return true;
    return false;
}
