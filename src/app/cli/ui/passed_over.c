/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

#include "src/app/cli/ui/message.h"
#include "src/lib/base/escape.h"

#include <string.h>
#include <strings.h>

#define NAMES 3        /* of the summary */
#define NAMES_ROOM 120 /* bytes of all of them; one name has up to 255 */

/* Kinds of images that people try, by extension. */
static const struct {
    const char *extension, *kind;
} kinds[] = {
    {"gif", "GIF"},     {"bmp", "BMP"},      {"webp", "WebP"},     {"avif", "AVIF"},
    {"heic", "HEIC"},   {"heif", "HEIC"},    {"jp2", "JPEG 2000"}, {"jxl", "JPEG XL"},
    {"exr", "OpenEXR"}, {"hdr", "Radiance"}, {"fits", "FITS"},     {"fit", "FITS"},
    {"fts", "FITS"},    {"svg", "SVG"},      {"psd", "PSD"},       {"dcm", "DICOM"},
    {"pfm", "PFM"},     {"dng", "raw"},      {"cr2", "raw"},       {"nef", "raw"},
    {"arw", "raw"},     {"", "other"},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* The index of its kind: the first row of the table with this word. */
static size_t kind_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    size_t found = 0, first = 0;

    while (found + 1 < KINDS && (!dot || strcasecmp(dot + 1, kinds[found].extension) != 0))
        found++;
    while (strcmp(kinds[first].kind, kinds[found].kind) != 0)
        first++;
    return first;
}

const char *passed_over_kind(const char *path)
{
    return kinds[kind_of(path)].kind;
}

void passed_over_print(FILE *stream, const struct plan *plan)
{
    for (size_t i = 0; i < plan->passed_count; i++) {
        escape_print(stream, plan->passed_over[i].path);
        fprintf(stream, ": skipped, %s\n", plan->passed_over[i].why);
    }
}

/* "12 GIF, 3 WebP", in the order of the table. */
static void add_kinds(struct phrase *phrase, const struct plan *plan)
{
    long long counts[KINDS] = {0};
    const char *comma = "";

    for (size_t i = 0; i < plan->passed_count; i++)
        if (!plan->passed_over[i].folder)
            counts[kind_of(plan->passed_over[i].path)]++;
    for (size_t kind = 0; kind < KINDS; kind++)
        if (counts[kind] > 0) {
            phrase_add(phrase, "%s%lld %s", comma, counts[kind], kinds[kind].kind);
            comma = ", ";
        }
}

/* "a.gif, b.gif, c.webp, ...": the first files, in the order of the walk. */
static void add_names(struct phrase *phrase, const struct plan *plan)
{
    int64_t named = 0;
    size_t bytes = 0;

    for (size_t i = 0; i < plan->passed_count && named < NAMES; i++) {
        const char *path = plan->passed_over[i].path, *slash = strrchr(path, '/');
        const char *name = slash ? slash + 1 : path;

        if (plan->passed_over[i].folder)
            continue;
        bytes += strlen(name);
        if (bytes > NAMES_ROOM)
            break;
        phrase_add(phrase, "%s%s", named++ == 0 ? "; " : ", ", name);
    }
    if (named < plan->others)
        phrase_add(phrase, "%s...", named == 0 ? "; " : ", ");
}

struct phrase passed_over_summary(const struct plan *plan)
{
    struct phrase phrase = {""};

    if (plan->others == 0)
        return phrase;
    phrase_add(&phrase, ", %lld file%s skipped (not %s: ", (long long)plan->others,
               plan->others == 1 ? "" : "s",
               plan->others == 1 ? "a supported image" : "supported images");
    add_kinds(&phrase, plan);
    add_names(&phrase, plan);
    phrase_add(&phrase, ")");
    return phrase;
}

/* Nothing was there. */
static enum status say_empty(const struct options *options)
{
    if (options->quiet)
        return STATUS_OK;
    if (options->batch.plan.files_from)
        message_print("no files were named: there is nothing to do");
    else
        message_print("%s %s: there is nothing to do", options->batch.plan.inputs[0],
                      options->batch.plan.input_count == 1 ? "is empty"
                                                           : "and the other folders are empty");
    return STATUS_OK;
}

enum status passed_over_check(const struct options *options, const struct plan *plan)
{
    const long long folders = (long long)plan->folders_left;
    const bool one = options->batch.plan.input_count == 1 && !options->batch.plan.files_from;
    struct phrase there = {""};

    if (plan->count > 0 || plan->foreign > 0)
        return STATUS_OK;
    if (plan->passed_count == 0)
        return say_empty(options);
    if (plan->others > 0) {
        phrase_add(&there, "; ");
        add_kinds(&there, plan);
        phrase_add(&there, " skipped");
    }
    if (folders > 0)
        phrase_add(&there, "; %lld folder%s not entered: -r does", folders,
                   folders == 1 ? "" : "s");
    message_print("no supported images in %s%s",
                  one ? options->batch.plan.inputs[0] : "what was named", there.text);
    return STATUS_PARTIAL;
}
