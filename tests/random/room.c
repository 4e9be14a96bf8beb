/* SPDX-License-Identifier: MIT */
#include "tests/random/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POISON 0xa5
/* With more rows or planes than this, `fence` of struct lie (request.h) has no effect. */
#define MOST_FENCES 300
/* Extra bytes between rows that are far apart: 4 GiB (0 with 32-bit pointers) and three pages.
 * Because of the three pages, the rows use different sets of a cache. */
#define FAR ((int64_t)(sizeof(void *) < 8 ? 0 : UINT64_C(1) << 32) + 3 * page_bytes())
/* With more rows or planes than this, `far` of struct lie, which puts them 4 GiB apart, has no
 * effect. The limit is low for other processors than x86: they are usually emulated, and QEMU 7
 * keeps some 24 bytes for each page of every address range that was ever reserved. */
#if defined(__x86_64__)
#define MOST_FAR MOST_FENCES
#else
#define MOST_FAR 8
#endif

static int64_t page_bytes(void)
{
    return sysconf(_SC_PAGESIZE);
}

static int64_t whole_pages(int64_t bytes)
{
    return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

static void protect(const struct room *room, int access)
{
    for (int64_t r = 0; r < room->rows; r++)
        if (mprotect(room->memory + page_bytes() + (size_t)r * room->pitch, room->open, access) !=
            0)
            abort();
}

static bool has_order(const struct lie *lie)
{
    for (int a = 0; a < AXES; a++)
        if (lie->order[a] != 0)
            return true;
    return false;
}

/* Sets the strides and `rows`. If inaccessible pages enclose rows or planes, also sets row_bytes,
 * open and pitch. Else returns the number of bytes from the beginning of the sample with the lowest
 * address to the end of the sample with the highest address. */
static int64_t set_strides(struct room *room, const struct lie *lie)
{
    int64_t block = room->sample_bytes, outer = 1;

    room->rows = 1;
    for (int i = 0; i < room->axes - lie->fence; i++) {
        const int64_t extent = room->shape[has_order(lie) ? lie->order[i] : i];

        outer *= extent > 0 ? extent : 1;
    }
    for (int i = room->axes - 1; i >= 0; i--) {
        const int64_t a = has_order(lie) ? lie->order[i] : i;
        const int64_t extent = room->shape[a] > 0 ? room->shape[a] : 1;

        if (lie->fence > 0 && i == room->axes - 1 - lie->fence && outer <= MOST_FENCES) {
            room->row_bytes = (size_t)block;
            room->open = (size_t)whole_pages(block);
            block = whole_pages(block) + page_bytes() + (lie->far && outer <= MOST_FAR ? FAR : 0);
            room->pitch = (size_t)block;
        }
        if (lie->same[a] && room->pitch == 0)
            continue;
        if (room->pitch > 0)
            room->rows *= extent;
        room->strides[a] = block + (room->pitch > 0 ? 0 : lie->gap[a]);
        block += room->strides[a] * (extent - 1);
    }
    return block;
}

/* The address that reserve() proposes to mmap: the end of the range that it reserved last, or the
 * beginning of a range that room_free() has freed. */
static char *unused;

/* Returns pages that nobody can access, if possible at addresses of an earlier room (see
 * MOST_FAR). */
static char *reserve(size_t bytes)
{
    char *memory =
        mmap(unused, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        abort();
    unused = memory + bytes;
    return memory;
}

void room_make(struct room *room, const struct lie *lie, int axes, const int64_t *shape,
               int64_t sample_bytes)
{
    int64_t block;
    bool fenced;

    *room = (struct room){.axes = axes, .samples = 1, .sample_bytes = sample_bytes};
    for (int a = 0; a < axes; a++) {
        room->shape[a] = shape[a];
        room->samples *= shape[a];
    }
    block = set_strides(room, lie);
    fenced = room->pitch > 0;
    if (!fenced) {
        room->row_bytes = (size_t)block;
        room->open = (size_t)whole_pages(block + lie->offset);
        room->pitch = room->open + (size_t)page_bytes();
    }
    room->begin = lie->behind ? page_bytes() + (int64_t)(room->open - room->row_bytes)
                              : page_bytes() + (fenced ? 0 : lie->offset);
    room->origin = room->begin;
    for (int a = 0; a < axes; a++)
        if (lie->back[a] && shape[a] > 0) {
            room->origin += room->strides[a] * (shape[a] - 1);
            room->strides[a] = -room->strides[a];
        }
    room->bytes = (size_t)page_bytes() + (size_t)room->rows * room->pitch;
    room->memory = reserve(room->bytes);
    protect(room, PROT_READ | PROT_WRITE);
    for (int64_t r = 0; r < room->rows; r++)
        memset(room->memory + page_bytes() + (size_t)r * room->pitch, POISON, room->open);
}

void room_free(struct room *room)
{
    munmap(room->memory, room->bytes);
    if (room->memory < unused)
        unused = room->memory;
}

/* Returns the bytes from room->memory to sample i. */
static int64_t offset_of(const struct room *room, int64_t i)
{
    int64_t offset = room->origin;

    for (int a = room->axes - 1; a >= 0; a--) {
        offset += i % room->shape[a] * room->strides[a];
        i /= room->shape[a];
    }
    return offset;
}

static void put_sample(const struct room *room, char *to, uint64_t sample)
{
    const uint8_t one = (uint8_t)sample;
    const uint16_t two = (uint16_t)sample;
    const uint32_t four = (uint32_t)sample;
    const void *from = room->sample_bytes == 1   ? (const void *)&one
                       : room->sample_bytes == 2 ? (const void *)&two
                       : room->sample_bytes == 4 ? (const void *)&four
                                                 : (const void *)&sample;

    memcpy(to, from, (size_t)room->sample_bytes);
}

static uint64_t get(const struct room *room, int64_t i)
{
    const char *from = room->memory + offset_of(room, i);
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    memcpy(&one, from, 1);
    if (room->sample_bytes == 1)
        return one;
    memcpy(&two, from, 2);
    if (room->sample_bytes == 2)
        return two;
    memcpy(&four, from, 4);
    if (room->sample_bytes == 4)
        return four;
    memcpy(&eight, from, 8);
    return eight;
}

void room_put(const struct room *room, const uint64_t *samples)
{
    for (int64_t i = 0; i < room->samples; i++)
        put_sample(room, room->memory + offset_of(room, i), samples[i]);
}

void room_get(const struct room *room, uint64_t *samples)
{
    for (int64_t i = 0; i < room->samples; i++)
        samples[i] = get(room, i);
}

static struct room sealed;

void room_seal(const struct room *room)
{
    protect(room, PROT_READ);
    sealed = *room;
}

bool room_is_sealed(const void *address)
{
    const int64_t offset = (const char *)address - sealed.memory - page_bytes();

    return offset >= 0 && offset < (int64_t)sealed.bytes - page_bytes() &&
           offset % (int64_t)sealed.pitch < (int64_t)sealed.open;
}

static void tell_sample(const struct room *room, int64_t i, uint64_t wanted, uint64_t got)
{
    printf("  sample (");
    for (int a = 0; a < room->axes; a++) {
        int64_t step = 1;

        for (int b = a + 1; b < room->axes; b++)
            step *= room->shape[b];
        printf("%s%" PRId64, a > 0 ? ", " : "", i / step % room->shape[a]);
    }
    printf("): wanted %0*" PRIx64 ", got %0*" PRIx64 "\n", 2 * (int)room->sample_bytes, wanted,
           2 * (int)room->sample_bytes, got);
}

/* Prints the first sample that differs. Returns how many samples differ. */
static int64_t tell_samples(const struct room *room, const uint64_t *wanted)
{
    int64_t wrong = 0;

    for (int64_t i = 0; i < room->samples; i++) {
        const uint64_t got = get(room, i);

        if (got == wanted[i])
            continue;
        if (wrong++ == 0)
            tell_sample(room, i, wanted[i], got);
    }
    if (wrong > 1)
        printf("  %" PRId64 " of %" PRId64 " samples differ\n", wrong, room->samples);
    return wrong;
}

/* Returns true if the accessible pages of row r have the bytes at `row`. As in room.h, a row is
 * what inaccessible pages enclose: the whole array, a row of it, or a plane. */
static bool is_row_right(const struct room *room, int64_t r, const char *row)
{
    return memcmp(row, room->memory + page_bytes() + (size_t)r * room->pitch, room->open) == 0;
}

/* Returns what the accessible pages of all rows must hold: the wanted samples (none if `wanted` is
 * NULL), and poison bytes around them. The caller frees it. */
static char *rows_of(const struct room *room, const uint64_t *wanted)
{
    char *rows = malloc((size_t)room->rows * room->open + 1);

    if (!rows)
        abort();
    memset(rows, POISON, (size_t)room->rows * room->open);
    for (int64_t i = 0; wanted && i < room->samples; i++) {
        const int64_t offset = offset_of(room, i) - page_bytes(),
                      row = offset / (int64_t)room->pitch;

        put_sample(room, rows + row * (int64_t)room->open + offset % (int64_t)room->pitch,
                   wanted[i]);
    }
    return rows;
}

const char *room_difference(const struct room *room, const uint64_t *wanted)
{
    char *rows = rows_of(room, wanted);
    bool differs = false;

    for (int64_t r = 0; r < room->rows && !differs; r++)
        differs = !is_row_right(room, r, rows + (size_t)r * room->open);
    free(rows);
    if (!differs)
        return NULL;
    if (wanted && tell_samples(room, wanted) > 0)
        return "samples";
    printf("  a byte beside the samples of the result was written\n");
    return "write";
}
