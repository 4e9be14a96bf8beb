/* SPDX-License-Identifier: MIT */
/* Moves a pixel of 2 GiB: the library describes the contiguous axes of an array as a pixel, so that
 * a stack of large volumes is a row of such pixels. To save memory, all parts of the source are one
 * part of PART bytes, mapped many times, and so are those of the target. */
#include "src/lib/filter/registry.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PART ((size_t)1 << 21)
#define PIXEL ((size_t)1 << 31)

/* Returns PIXEL bytes of address space, in which each part is the same memory. */
static unsigned char *map_pixel(void)
{
    const int file = memfd_create("part", 0);
    char *const pixel =
        mmap(NULL, PIXEL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    NEED(pixel != MAP_FAILED && file >= 0 && ftruncate(file, PART) == 0);
    for (size_t at = 0; at < PIXEL; at += PART)
        NEED(mmap(pixel + at, PART, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
             MAP_FAILED);
    close(file);
    return (unsigned char *)pixel;
}

static void check_move(enum op op, const struct view *src, const struct view *dst)
{
    const struct request request = {.src = *src, .dst = *dst, .threads = 1};
    const struct piece piece = {.request = &request, .src = *src, .dst = *dst, .images = 1};
    struct variant variant;

    memset(dst->origin, 0, PART);
    NEED(registry_variant(op, "cpu", &variant));
    CHECK(!variant.engines->run(&piece), "%s fails", op_words[op]);
    CHECK(memcmp(src->origin, dst->origin, PART) == 0, "%s: wrong bytes", op_words[op]);
}

int main(void)
{
    struct view src = {.width = 1, .height = 1, .channels = PIXEL / 4, .sample_bytes = 4}, dst;

    if (sizeof(void *) < 8)
        return 77;
    src.stride_bytes = (int64_t)PIXEL;
    src.origin = map_pixel();
    dst = src;
    dst.origin = map_pixel();
    for (size_t i = 0; i < PART; i++)
        ((unsigned char *)src.origin)[i] = (unsigned char)(i * 7 + i / 256);
    check_move(OP_TRANSPOSE, &src, &dst);
    check_move(OP_REVERSE, &src, &dst);
    return unit_result();
}
