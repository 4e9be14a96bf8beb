/* SPDX-License-Identifier: MIT */
/* Turns libjpeg's errors and warnings into messages of this program. */
#include "src/files/codec/jpeg/jpeg.h"

#include <ctype.h>
#include <jerror.h>
#include <string.h>

#define CORRUPT "Corrupt JPEG data: " /* libjpeg's warnings about samples begin with this */

static struct jpeg_trouble *trouble_of(j_common_ptr jpeg)
{
    return (struct jpeg_trouble *)jpeg->err;
}

/* If libjpeg's error means that libjpeg does not support a kind of file, returns that kind; else
 * NULL. */
static const char *unsupported_kind(const struct jpeg_error_mgr *manager)
{
    switch (manager->msg_code) {
    case JERR_SOF_UNSUPPORTED: /* the marker tells the kind; 0xc8 is reserved */
        return (manager->msg_parm.i[0] & 3) == 3 ? "lossless JPEG"
               : manager->msg_parm.i[0] == 0xc8  ? "JPEG of a reserved kind"
                                                 : "hierarchical JPEG";
    case JERR_BAD_PRECISION:
        return manager->msg_parm.i[0] == 12 ? "JPEG of 12 bits"
                                            : "JPEG of another number of bits than 8";
    default:
        return NULL;
    }
}

enum status jpeg_refuse(const char *name, const char *kind, struct error *error)
{
    return fail(error, STATUS_UNSUPPORTED,
                "%s: %s is not supported; convert it first, for example with ImageMagick", name,
                kind);
}

/* libjpeg's message, without a capital at its beginning: it will follow a colon. */
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
    const char *kind = unsupported_kind(jpeg->err);

    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
        fail(trouble->error, trouble->status, "%s: no memory for libjpeg", trouble->name);
    else if (kind)
        jpeg_give_up(trouble, jpeg_refuse(trouble->name, kind, trouble->error));
    else
        fail(trouble->error, trouble->status, "%s%s%s: %s", trouble->name, damaged, trouble->where,
             said.text);
    jpeg_give_up(trouble, trouble->status);
}

/* libjpeg calls this with a level of -1 for a warning; higher levels only explain. */
static void take_message(j_common_ptr jpeg, int level)
{
    const struct jpeg_trouble *trouble = trouble_of(jpeg);

    if (level >= 0 || (trouble->is_padding && jpeg->err->msg_code == JWRN_EXTRANEOUS_DATA &&
                       trouble->is_padding(jpeg, jpeg->err->msg_parm.i[0])))
        return;
    if (trouble->is_padding)
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
