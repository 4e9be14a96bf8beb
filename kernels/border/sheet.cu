/* SPDX-License-Identifier: MIT */
/* The copies between images and sheets: 16 bytes of a sheet for each thread. */
#include "kernels/border/sheet.h"
#include "kernels/common/launch.cuh"

#define UNIT 16 /* bytes of a sheet that a thread copies */

/* A tile: its image, and its first pixel there; no image: the cell is empty. */
struct tile {
    int64_t image, x, y;
};

__device__ static inline tile tile_at(const sheet &sheet, int64_t cell)
{
    const int64_t each = sheet_tiles(&sheet) / sheet.count, image = cell / each;
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
    return {image, x * sheet.tile_width, y * sheet.tile_height};
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

/* 16 bytes from byte `first` of a row on, by the edge rule where they are outside of it. */
__device__ static inline uint4 edge_unit(const char *row, int64_t first, int64_t width,
                                         int64_t pixel_bytes, enum edge edge)
{
    int64_t pixel = first >= 0 ? first / pixel_bytes : -((pixel_bytes - 1 - first) / pixel_bytes);
    int64_t byte = first - pixel * pixel_bytes, from = edge_index(edge, pixel, width);
    union {
        uint4 unit;
        unsigned char bytes[UNIT];
    } result;

    for (int i = 0; i < UNIT; i++) {
        result.bytes[i] = from < 0 ? 0 : (unsigned char)row[from * pixel_bytes + byte];
        if (++byte == pixel_bytes)
            byte = 0, from = edge_index(edge, ++pixel, width);
    }
    return result.unit;
}

/* x: a unit of a row of the sheet; y: a row. */
static __global__ void gather(const __grid_constant__ sheet sheet, const view first,
                              const int64_t stride, const enum edge edge, char *memory)
{
    const int64_t pixel_bytes = (int64_t)first.channels * first.sample_bytes;
    const int64_t at = UNIT * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    const int64_t cell_bytes = sheet.cell_width * pixel_bytes, cell_x = at / cell_bytes;
    const int64_t row_bytes = first.width * pixel_bytes;

    if (cell_x >= sheet.cells_x)
        return;
    for (int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
         row < sheet.cells_y * sheet.cell_height; row += (int64_t)gridDim.y * blockDim.y) {
        const int64_t cell_y = row / sheet.cell_height, cell = cell_y * sheet.cells_x + cell_x;
        uint4 unit = make_uint4(0, 0, 0, 0);

        if (cell < sheet_tiles(&sheet)) {
            const tile tile = tile_at(sheet, cell);
            const int64_t y = edge_index(
                edge, tile.y + row - cell_y * sheet.cell_height - sheet.halo, first.height);
            const int64_t byte =
                (tile.x - sheet.halo) * pixel_bytes + at - cell_x * cell_bytes - sheet.lead;
            const char *line = static_cast<const char *>(first.origin) + tile.image * stride +
                               y * first.stride_bytes;

            if (y >= 0)
                unit = byte >= 0 && byte + UNIT <= row_bytes
                           ? load_unit(line + byte)
                           : edge_unit(line, byte, first.width, pixel_bytes, edge);
        }
        *reinterpret_cast<uint4 *>(memory + row * sheet.pitch + at) = unit;
    }
}

/* Stores up to 16 bytes at any address. */
__device__ static inline void store_unit(char *to, uint4 unit, int64_t bytes)
{
    if (bytes >= UNIT && (uintptr_t)to % UNIT == 0) {
        *reinterpret_cast<uint4 *>(to) = unit;
        return;
    }
    const uint32_t words[4] = {unit.x, unit.y, unit.z, unit.w};
#pragma unroll
    for (int i = 0; i < UNIT; i++)
        if (i < bytes)
            to[i] = (char)(words[i / 4] >> 8 * (i % 4));
}

static __global__ void scatter(const __grid_constant__ sheet sheet, const view first,
                               const int64_t stride, const char *memory)
{
    const int64_t pixel_bytes = (int64_t)first.channels * first.sample_bytes;
    const int64_t at = UNIT * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    const int64_t cell_bytes = sheet.cell_width * pixel_bytes, cell_x = at / cell_bytes;
    const int64_t byte = at - cell_x * cell_bytes; /* of the tile's row */

    if (cell_x >= sheet.cells_x)
        return;
    for (int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
         row < sheet.cells_y * sheet.cell_height; row += (int64_t)gridDim.y * blockDim.y) {
        const int64_t cell_y = row / sheet.cell_height, cell = cell_y * sheet.cells_x + cell_x;
        const int64_t y = row - cell_y * sheet.cell_height; /* of the tile */

        if (cell >= sheet_tiles(&sheet) || y >= sheet.tile_height)
            continue;
        const tile tile = tile_at(sheet, cell);
        const int64_t wide = min(sheet.tile_width, first.width - tile.x) * pixel_bytes;

        if (tile.y + y < first.height && byte < wide)
            store_unit(static_cast<char *>(first.origin) + tile.image * stride +
                           (tile.y + y) * first.stride_bytes + tile.x * pixel_bytes + byte,
                       *reinterpret_cast<const uint4 *>(memory + row * sheet.pitch + at),
                       wide - byte);
    }
}

static dim3 grid_of(const struct sheet *sheet, int64_t pixel_bytes, dim3 block)
{
    return grid_over(sheet->cells_x * sheet->cell_width * pixel_bytes / UNIT,
                     sheet->cells_y * sheet->cell_height, block);
}

const char *sheet_gather(const struct sheet *sheet, const struct view *first, int64_t stride,
                         enum edge edge, void *memory, void *stream)
{
    const dim3 block(32, 8);
    const int64_t pixel_bytes = (int64_t)first->channels * first->sample_bytes;

    LAUNCH(gather, grid_of(sheet, pixel_bytes, block), block, 0, stream, *sheet, *first, stride,
           edge, static_cast<char *>(memory));
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
