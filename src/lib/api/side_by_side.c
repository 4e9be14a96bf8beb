/* SPDX-License-Identifier: MIT */
#include "src/lib/api/side_by_side.h"

#include "kernels/common/edge.h"
#include "kernels/common/numbers.h"
#include "src/lib/api/images.h"

#include <string.h>

#define MOST_ROWS 256 /* the greatest height of images side by side, so that they fit the cache */
#define ALIGNMENT 64  /* bytes: copied rows begin at multiples of it */
/* Memory is prefetched this many bytes ahead of the row that is copied. Processors do not prefetch
 * across a page border, and each small image begins in another page. With this prefetch, images of
 * 64 x 64 bytes take 0.82 of the time at halo 1, and 0.89 at halo 4. */
#define COPY_AHEAD 8192
/* The maximum number of pixels that the edge rule adds to a row: two for each pixel of the halo.
 * pays() makes sure that the halo is below 64. */
#define MOST_MOVES 128

/* Returns the width of a copied image with the columns that the edge rule adds on both sides. */
static int64_t cell_width(const struct call *call)
{
    return call->request.src.width + 2 * call->request.halo_x;
}

/* Returns the maximum number of bytes in a row of images side by side. */
static int64_t most_row_bytes(const struct call *call)
{
    return call->request.src.sample_bytes == 2 ? 1024 : 2048;
}

/* Returns a width in pixels. Computing images of this width or more side by side saves no time. */
static int64_t least_alone(const struct call *call)
{
    return (call->request.src.sample_bytes == 1 ? 512 : 128) / call->request.src.channels;
}

/* True if computing images side by side takes less time, including the copies. Measured with all
 * types of samples, widths of 16 to 256 pixels, one and three channels, and halos 1, 4 and 16. */
static bool pays(const struct call *call, int64_t width)
{
    return width < least_alone(call) && call->request.halo <= max(width / 8, 4);
}

int64_t side_by_side_most(const struct call *call)
{
    static const struct beside nothing;

    if (!pays(call, call->request.src.width) || call->request.src.height > MOST_ROWS ||
        memcmp(&call->request.beside, &nothing, sizeof nothing) != 0)
        return 1;
    return max(most_row_bytes(call) / (cell_width(call) * view_pixel_bytes(&call->request.src)), 1);
}

bool side_by_side_largest(struct call *call)
{
    struct view *src = &call->request.src;

    src->height = call->request.dst.height = call->band_rows = min(src->height, MOST_ROWS);
    call->side_by_side = 2;
    return call->request.images > 1 &&
           2 * view_pixel_bytes(&call->request.src) <= most_row_bytes(call) &&
           pays(call, min(call->request.src.width, least_alone(call) - 1));
}

/* Returns how many bytes of a copied row precede its first pixel: bytes that the edge rule fills,
 * and padding that aligns this pixel. */
static int64_t lead_bytes(const struct call *call)
{
    return round_up(call->request.halo_x * view_pixel_bytes(&call->request.src), ALIGNMENT);
}

static int64_t source_pitch(const struct call *call)
{
    return round_up(2 * lead_bytes(call) + most_row_bytes(call), ALIGNMENT);
}

static int64_t source_bytes(const struct call *call)
{
    return call->request.src.height * source_pitch(call);
}

int64_t side_by_side_bytes(const struct call *call)
{
    return source_bytes(call) + call->request.src.height * most_row_bytes(call);
}

struct request side_by_side_request(const struct call *call)
{
    struct request request = request_rows(&call->request, 0, call->request.src.height);

    request.src.width = request.dst.width =
        most_row_bytes(call) / view_pixel_bytes(&call->request.src);
    request.src.stride_bytes = source_pitch(call);
    request.dst.stride_bytes = most_row_bytes(call);
    request.src.origin = request.dst.origin = NULL;
    request.beside = (struct beside){.left = call->request.halo_x, .right = call->request.halo_x};
    return request;
}

/* Offsets in bytes from a row's first pixel. `to` is the offset of a pixel beside the row, `from`
 * the offset of the pixel that the edge rule copies there. If `from` is negative, the pixel beside
 * the row is zero. */
struct move {
    int64_t to, from;
};

static struct move move_to(const struct view *image, enum edge edge, int64_t x)
{
    const int64_t pixel_bytes = view_pixel_bytes(image);

    return (struct move){x * pixel_bytes, edge_index(edge, x, image->width) * pixel_bytes};
}

static inline void move_pixels(char *row, const struct move *moves, int count, size_t pixel_bytes)
{
    for (int i = 0; i < count; i++)
        if (moves[i].from < 0)
            memset(row + moves[i].to, 0, pixel_bytes);
        else
            memcpy(row + moves[i].to, row + moves[i].from, pixel_bytes);
}

/* Calls move_pixels() with a constant number of bytes, so that the compiler copies a pixel without
 * a call of memcpy. */
static void move_in_row(char *row, const struct move *moves, int count, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1:
        move_pixels(row, moves, count, 1);
        break;
    case 2:
        move_pixels(row, moves, count, 2);
        break;
    case 3:
        move_pixels(row, moves, count, 3);
        break;
    case 4:
        move_pixels(row, moves, count, 4);
        break;
    default:
        move_pixels(row, moves, count, pixel_bytes);
    }
}

/* Fills `halo` pixels on both sides of each row by the edge rule. */
static void fill_ends(const struct view *image, enum edge edge, int64_t halo)
{
    const size_t pixel_bytes = (size_t)view_pixel_bytes(image);
    struct move moves[MOST_MOVES];
    int count = 0;

    for (int64_t i = 1; i <= halo; i++) {
        moves[count++] = move_to(image, edge, -i);
        moves[count++] = move_to(image, edge, image->width - 1 + i);
    }
    for (int64_t y = 0; y < image->height; y++)
        move_in_row((char *)image->origin + y * image->stride_bytes, moves, count, pixel_bytes);
}

/* Copies rows in blocks of 16 bytes, for which memcpy compiles to a load and a store. A call of
 * memcpy, as for rows below 16 bytes, would take as long as the copy of a short row itself. */
static void copy_rows(const struct view *from, const struct view *to, size_t bytes)
{
    const char *source = from->origin;
    char *target = to->origin;

    for (int64_t y = 0; y < from->height; y++) {
        size_t at = 0;

        for (size_t i = 0; i < bytes; i += 64) { /* a cache line */
            __builtin_prefetch(source + COPY_AHEAD + i);
            __builtin_prefetch(target + COPY_AHEAD + i, 1);
        }
        for (; at + 16 <= bytes; at += 16)
            memcpy(target + at, source + at, 16);
        if (bytes >= 16) /* the last 16 bytes, of which some may be copied already */
            memcpy(target + bytes - 16, source + bytes - 16, 16);
        else
            memcpy(target, source, bytes);
        source += from->stride_bytes;
        target += to->stride_bytes;
    }
}

static struct view moved(const struct view *view, int64_t bytes)
{
    struct view there = *view;

    there.origin = (char *)view->origin + bytes;
    return there;
}

enum status side_by_side_run(void *context, int thread, int64_t number, struct error *error)
{
    const struct call *call = context;
    const struct request *request = &call->request, all = side_by_side_request(call);
    const int64_t first = number * call->side_by_side, pixel = view_pixel_bytes(&request->src);
    const int64_t count = min(call->side_by_side, request->images - first);
    const int64_t cell = cell_width(call) * pixel;
    const size_t row = (size_t)(request->src.width * pixel);
    struct piece piece = plan_piece(call->plan);
    char *const memory = call->context->memory[thread].data;
    enum status status;

    piece.src = all.src;
    piece.dst = all.dst;
    piece.beside = all.beside;
    piece.src.width = piece.dst.width = count * cell_width(call) - 2 * call->request.halo_x;
    piece.src.origin = memory + lead_bytes(call);
    piece.dst.origin = memory + source_bytes(call);
    piece.scratch = memory + side_by_side_bytes(call);
    for (int64_t i = 0; i < count; i++) {
        const struct view src = moved(&request->src, (first + i) * request->src_apart);
        struct view copy = moved(&piece.src, i * cell);

        copy.width = src.width;
        copy_rows(&src, &copy, row);
        fill_ends(&copy, (enum edge)request->edge, call->request.halo_x);
    }
    status = run_outcome(call->op, ON_CPU, call->plan, plan_run(call->plan, &piece), error);
    for (int64_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct view result = moved(&piece.dst, i * cell);
        const struct view dst = moved(&request->dst, (first + i) * request->dst_apart);

        copy_rows(&result, &dst, row);
    }
    return status;
}
