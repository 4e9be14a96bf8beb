/* SPDX-License-Identifier: MIT */
/* libjpeg's errors and warnings, as messages of this program. */
#include "src/files/codec/jpeg/jpeg.h"

#include <ctype.h>
#include <jerror.h>
#include <string.h>

#define CORRUPT "Corrupt JPEG data: " /* how libjpeg's warnings of samples begin */

/* Warnings after which libjpeg goes on with samples that are not those of the file. */
static bool loses_samples(int code)
{
    return code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE || code == JWRN_MUST_RESYNC ||
           code == JWRN_JPEG_EOF || code == JWRN_BOGUS_PROGRESSION;
}

/* Errors that say that libjpeg does not know such files. */
static bool is_unsupported(int code)
{
    return code == JERR_SOF_UNSUPPORTED || code == JERR_BAD_PRECISION ||
           code == JERR_ARITH_NOTIMPL || code == JERR_CONVERSION_NOTIMPL ||
           code == JERR_FRACT_SAMPLE_NOTIMPL || code == JERR_CCIR601_NOTIMPL;
}

/* What libjpeg says, as the end of a sentence. */
struct jpeg_text {
    char text[JMSG_LENGTH_MAX];
};

static struct jpeg_text text_of(j_common_ptr jpeg)
{
    struct jpeg_text said;
    const size_t head = strlen(CORRUPT);

    jpeg->err->format_message(jpeg, said.text);
    if (strncmp(said.text, CORRUPT, head) == 0)
        memmove(said.text, said.text + head, strlen(said.text) - head + 1);
    if (said.text[0] && !isupper((unsigned char)said.text[1]))
        said.text[0] = (char)tolower((unsigned char)said.text[0]);
    return said;
}

static struct jpeg_trouble *trouble_of(j_common_ptr jpeg)
{
    return (struct jpeg_trouble *)jpeg->err;
}

_Noreturn void jpeg_give_up(struct jpeg_trouble *trouble, enum status status)
{
    trouble->status = status;
    longjmp(trouble->jump, 1);
}

static void give_up(j_common_ptr jpeg)
{
    struct jpeg_trouble *trouble = trouble_of(jpeg);
    const struct jpeg_text said = text_of(jpeg);
    const char *damaged = trouble->status == STATUS_INPUT ? ": damaged in " : "";

    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
        fail(trouble->error, trouble->status, "%s: no memory for libjpeg", trouble->name);
    else if (is_unsupported(jpeg->err->msg_code))
        jpeg_give_up(trouble, fail(trouble->error, STATUS_UNSUPPORTED,
                                   "%s: JPEG of this kind is not supported (%s); convert it first, "
                                   "for example with ImageMagick",
                                   trouble->name, said.text));
    else
        fail(trouble->error, trouble->status, "%s%s%s: %s", trouble->name, damaged, trouble->where,
             said.text);
    jpeg_give_up(trouble, trouble->status);
}

/* level: -1 of a warning; more of what only explains. */
static void take_message(j_common_ptr jpeg, int level)
{
    const struct jpeg_trouble *trouble = trouble_of(jpeg);

    if (level >= 0)
        return;
    if (trouble->status == STATUS_INPUT && loses_samples(jpeg->err->msg_code))
        give_up(jpeg);
    if (trouble->warnings)
        metadata_note(trouble->warnings, NULL, text_of(jpeg).text);
}

void jpeg_trouble_open(struct jpeg_trouble *trouble, const char *name, enum status status)
{
    memset(trouble, 0, sizeof *trouble);
    jpeg_std_error(&trouble->manager);
    trouble->manager.error_exit = give_up;
    trouble->manager.emit_message = take_message;
    trouble->name = name;
    trouble->status = status;
}

enum status jpeg_try(struct jpeg_trouble *trouble, void (*work)(void *context), void *context,
                     struct error *error)
{
    trouble->error = error;
    if (setjmp(trouble->jump) != 0)
        return trouble->status;
    work(context);
    return STATUS_OK;
}
