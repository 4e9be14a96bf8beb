/* SPDX-License-Identifier: MIT */
/* The copies between images and sheets: 16 bytes of a sheet for each thread. */
#include "kernels/border/sheet.h"
#include "kernels/common/launch.cuh"

#define UNIT 16          /* bytes of a sheet that a thread copies at a time */
#define FULL 0xffffffffu /* all lanes of a warp */

/* A tile: its image, and its first pixel there; no image: the cell is empty. */
struct tile {
    int64_t image, x, y;
};

__device__ static inline tile tile_at(const sheet &sheet, int64_t cell)
{
    const int64_t each = sheet_tiles_of_image(&sheet), image = cell / each;
    const int64_t beside = sheet.tiles_x - (sheet.hole_x - 1); /* in a row beside the hole */
    int64_t k = cell - image * each, x, y;

    if (k < sheet.tiles_x) {
        y = 0, x = k;
    } else if ((k -= sheet.tiles_x) < (sheet.hole_y - 1) * beside) {
        y = 1 + k / beside, x = k % beside;
        x += x > 0 ? sheet.hole_x - 1 : 0;
    } else {
        k -= (sheet.hole_y - 1) * beside;
        y = sheet.hole_y + k / sheet.tiles_x, x = k % sheet.tiles_x;
    }
    return {image, sheet.left + x * sheet.tile_width, sheet.top + y * sheet.tile_height};
}

/* The 16 bytes at any address, all of them in a row, by whole words that lie aligned. */
__device__ static inline uint4 load_unit(const char *from)
{
    const uintptr_t off = (uintptr_t)from % 4;
    const uint32_t *words = reinterpret_cast<const uint32_t *>(from - off);
    const unsigned shift = 8 * (unsigned)off;

    if ((uintptr_t)from % UNIT == 0)
        return *reinterpret_cast<const uint4 *>(from);
    const uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
    const uint32_t e = off ? words[4] : 0;
    return make_uint4(__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift),
                      __funnelshift_r(c, d, shift), __funnelshift_r(d, e, shift));
}

/* The byte at position `byte` of a row, by the edge rule where that is outside of it. before:
 * pixels that no position is further left. */
__device__ static inline char edge_byte(const char *row, int64_t byte, int64_t before,
                                        int64_t width, int64_t pixel_bytes, enum edge edge)
{
    const uint64_t shifted = (uint64_t)(byte + before * pixel_bytes);
    const int64_t pixel = (int64_t)(shifted / (uint64_t)pixel_bytes);
    const int64_t from = edge_index(edge, pixel - before, width);

    return from < 0 ? 0 : row[byte + (from - (pixel - before)) * pixel_bytes];
}

/* Where a thread copies: a unit of a cell's row. Block x: units of a row of cells; y: rows of a
 * cell; z: rows of cells. ALONE: the sheet has one cell, and nothing to divide by. */
struct place {
    int64_t at;     /* bytes from the beginning of the sheet's row, and */
    int64_t within; /* from that of the cell's */
    tile where;
    bool in_cell;
    bool used; /* so is the cell */
};

template <bool ALONE>
__device__ static inline place place_at(const sheet &sheet, int64_t pixel_bytes, int64_t cell_y)
{
    const int64_t at = UNIT * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    const uint32_t cell_units = (uint32_t)(sheet.cell_width * pixel_bytes / UNIT);
    const int64_t cell_x = ALONE ? 0 : (uint32_t)(at / UNIT) / cell_units;
    const int64_t cell = cell_y * sheet.cells_x + cell_x;
    const bool in_cell = ALONE ? at < UNIT * (int64_t)cell_units : cell_x < sheet.cells_x;
    const bool used = in_cell && cell < sheet_tiles(&sheet);

    tile where = {0, sheet.left, sheet.top};

    if (!ALONE && used)
        where = tile_at(sheet, cell);
    return {at, at - cell_x * UNIT * cell_units, where, in_cell, used};
}

/* The row of the image that row `row` of a cell is a copy of; NULL: it is 0. */
__device__ static inline const char *line_of(const sheet &sheet, const view &first, int64_t stride,
                                             enum edge edge, const tile &tile, int64_t row)
{
    const int64_t y = edge_index(edge, tile.y + row - sheet.halo, first.height);

    return y < 0 ? NULL
                 : static_cast<const char *>(first.origin) + tile.image * stride +
                       y * first.stride_bytes;
}

/* Copies the units of the lanes for which `todo` is set, two at a time, each by sixteen lanes: a
 * lane alone would fetch its bytes one after the other. */
__device__ static inline void copy_edges(uint32_t todo, const char *line, int64_t byte, char *to,
                                         int64_t before, int64_t width, int64_t pixel_bytes,
                                         enum edge edge)
{
    const int lane = (int)threadIdx.x, mine = lane % UNIT;

    while (todo) {
        const uint32_t rest = todo & (todo - 1);
        const int one = __ffs((int)todo) - 1, other = rest ? __ffs((int)rest) - 1 : one;
        const int from = lane < UNIT ? one : other;
        const char *its_line = (const char *)__shfl_sync(FULL, (unsigned long long)line, from);
        const int64_t its_byte = __shfl_sync(FULL, (long long)byte, from);
        char *its_to = (char *)__shfl_sync(FULL, (unsigned long long)to, from);

        if (lane < UNIT || rest)
            its_to[mine] = edge_byte(its_line, its_byte + mine, before, width, pixel_bytes, edge);
        todo = rest & (rest - 1);
    }
}

template <bool ALONE>
static __global__ void gather(const __grid_constant__ sheet sheet, const view first,
                              const int64_t stride, const enum edge edge, char *memory)
{
    const int64_t pixel_bytes = (int64_t)first.channels * first.sample_bytes;
    const int64_t row_bytes = first.width * pixel_bytes;
    const int64_t before = sheet.halo + UNIT; /* a lead is less than 16 pixels */

    for (int64_t cell_y = blockIdx.z; cell_y < sheet.cells_y; cell_y += gridDim.z) {
        const place place = place_at<ALONE>(sheet, pixel_bytes, cell_y);
        const int64_t byte = (place.where.x - sheet.halo) * pixel_bytes + place.within - sheet.lead;
        const int64_t end = min(place.where.x + sheet.tile_width, first.width) + sheet.halo;
        /* load_unit reads whole words: up to three bytes beside the unit */
        const bool inside = byte > 3 && byte + UNIT + 3 <= row_bytes;
        const bool needed = place.used && byte < end * pixel_bytes;
        /* Old bytes, taken for floats, would be numbers that take long to sum. */
        const bool blank = first.sample_bytes == 4 && place.in_cell && !needed;
        char *to = memory + cell_y * sheet.cell_height * sheet.pitch + place.at;

        for (int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; row < sheet.cell_height;
             row += (int64_t)gridDim.y * blockDim.y) {
            const char *line = line_of(sheet, first, stride, edge, place.where, row);

            if (blank || (needed && (inside || !line)))
                *reinterpret_cast<uint4 *>(to + row * sheet.pitch) =
                    needed && line ? load_unit(line + byte) : make_uint4(0, 0, 0, 0);
            copy_edges(__ballot_sync(FULL, needed && !inside && line), line, byte,
                       to + row * sheet.pitch, before, first.width, pixel_bytes, edge);
        }
    }
}

/* Stores the bytes of a row, from number `byte` on, that are in an aligned unit at `to`; the row
 * has `bytes`. */
__device__ static inline void store_unit(char *to, const char *row, int64_t byte, int64_t bytes)
{
    if (byte >= 0 && byte + UNIT <= bytes) {
        *reinterpret_cast<uint4 *>(to) = load_unit(row + byte);
        return;
    }
    for (int64_t i = max(-byte, (int64_t)0); i < UNIT && byte + i < bytes; i++)
        to[i] = row[byte + i];
}

static __global__ void scatter(const __grid_constant__ sheet sheet, const view first,
                               const int64_t stride, const char *memory)
{
    const int64_t pixel_bytes = (int64_t)first.channels * first.sample_bytes;

    for (int64_t cell_y = blockIdx.z; cell_y < sheet.cells_y; cell_y += gridDim.z) {
        const place place = place_at<false>(sheet, pixel_bytes, cell_y);
        const int64_t wide = min(sheet.tile_width, first.width - place.where.x) * pixel_bytes;
        const int64_t high = min(sheet.tile_height, first.height - place.where.y);
        char *tile = static_cast<char *>(first.origin) + place.where.image * stride +
                     place.where.y * first.stride_bytes + place.where.x * pixel_bytes;
        const char *cell =
            memory + cell_y * sheet.cell_height * sheet.pitch + place.at - place.within;

        const bool needed = place.used && place.within < wide + UNIT;

        for (int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; needed && row < high;
             row += (int64_t)gridDim.y * blockDim.y) {
            char *to = tile + row * first.stride_bytes;
            const int64_t byte = place.within - (int64_t)((uintptr_t)to % UNIT);

            store_unit(to + byte, cell + row * sheet.pitch, byte, wide);
        }
    }
}

static dim3 grid_of(const struct sheet *sheet, int64_t pixel_bytes, dim3 block)
{
    const int64_t units = sheet->cells_x * sheet->cell_width * pixel_bytes / UNIT;
    dim3 grid = grid_over(units, sheet->cell_height, block);

    grid.z = blocks_down(sheet->cells_y);
    return grid;
}

const char *sheet_gather(const struct sheet *sheet, const struct view *first, int64_t stride,
                         enum edge edge, void *memory, void *stream)
{
    const dim3 block(32, 8);
    const int64_t pixel_bytes = (int64_t)first->channels * first->sample_bytes;

    if (sheet->cells_x * sheet->cells_y == 1)
        LAUNCH(gather<true>, grid_of(sheet, pixel_bytes, block), block, 0, stream, *sheet, *first,
               stride, edge, static_cast<char *>(memory));
    else
        LAUNCH(gather<false>, grid_of(sheet, pixel_bytes, block), block, 0, stream, *sheet, *first,
               stride, edge, static_cast<char *>(memory));
    return launched();
}

const char *sheet_scatter(const struct sheet *sheet, const struct view *first, int64_t stride,
                          const void *memory, void *stream)
{
    const dim3 block(32, 8);
    const int64_t pixel_bytes = (int64_t)first->channels * first->sample_bytes;

    LAUNCH(scatter, grid_of(sheet, pixel_bytes, block), block, 0, stream, *sheet, *first, stride,
           static_cast<const char *>(memory));
    return launched();
}
