/* SPDX-License-Identifier: MIT */
/* Idea:         warps read and write whole lines of 128 bytes, 16 bytes for each lane. A thread
 *               loads 16 bytes of each of four rows if elements have 8 bits, of two rows if they
 *               have 16, of one row if they have 32, and transposes them in registers. Each word of
 *               4 bytes then has elements of one column, and shared memory holds the words column
 *               by column.
 *
 * Fixes:        shared.cu moves only one element for each lane: for bytes, a sixteenth of its loads
 *               and stores is enough.
 *
 * Still slow:   only the memory limits it. A block accesses a square, so each of its lines is in
 *               another DRAM page and channel.
 *
 * The 32 words of a column are adjacent in shared memory: 8 groups of four. To avoid bank
 * conflicts, group g of column x is stored at place g xor ((x / N) % 8), where 16 bytes hold N
 * elements. When a warp writes, its lanes have eight values of x / N and four adjacent words, so
 * they use 32 different banks. When it reads, eight lanes read the eight groups of a column. */
#include "kernels/common/elements.cuh"

#define GROUPS 8 /* groups of 16 bytes in a line of 128 */
#define THREADS 256
#define WORDS 32 /* words of a column in the tile */
#define PANEL 8  /* squares side by side in a panel, a part of the image: see transpose_vector() */

/* The sizes of a square, in elements of T. A row of a square has 128 bytes. */
template <typename T> struct square_of {
    static constexpr int in_unit = 16 / (int)sizeof(T); /* elements in 16 bytes */
    /* Elements in a word of 4 bytes. A thread loads this many rows at a time. */
    static constexpr int in_word = 4 / (int)sizeof(T);
    static constexpr int edge = GROUPS * in_unit;
    /* Squares that a block transposes, one below the other. */
    static constexpr int count = (int)sizeof(T);
};

/* These functions transpose a square of 4 x 4 bytes, of 2 x 2 elements of 16 bits, or of one
 * element of 32 bits. words[i] is row i before the call, and column i after it. */
__device__ __forceinline__ void turn(uint32_t (&words)[4])
{
    const uint32_t a = __byte_perm(words[0], words[1], 0x5140);
    const uint32_t b = __byte_perm(words[2], words[3], 0x5140);
    const uint32_t c = __byte_perm(words[0], words[1], 0x7362);
    const uint32_t d = __byte_perm(words[2], words[3], 0x7362);

    words[0] = __byte_perm(a, b, 0x5410);
    words[1] = __byte_perm(a, b, 0x7632);
    words[2] = __byte_perm(c, d, 0x5410);
    words[3] = __byte_perm(c, d, 0x7632);
}

__device__ __forceinline__ void turn(uint32_t (&words)[2])
{
    const uint32_t first = __byte_perm(words[0], words[1], 0x5410);

    words[1] = __byte_perm(words[0], words[1], 0x7632);
    words[0] = first;
}

__device__ __forceinline__ void turn(uint32_t (&)[1]) {}

/* Returns the index in the tile of word `word` of column x. */
template <typename T> __device__ __forceinline__ int place_of(int x, int word)
{
    return x * WORDS + (word ^ (x / square_of<T>::in_unit % GROUPS * 4));
}

/* Loads the thread's part of one square: 16 bytes of each of in_word rows, from element x of row y
 * on. The 16 bytes are 0 if they begin outside the image; what lies beyond a row's end is not
 * used. */
template <typename T>
__device__ __forceinline__ void load_rows(uint4 (&units)[square_of<T>::in_word], const view &src,
                                          int64_t x, int64_t y)
{
#pragma unroll
    for (int i = 0; i < square_of<T>::in_word; i++)
        units[i] = x < src.width && y + i < src.height
                       ? *reinterpret_cast<const uint4 *>(row_of<const T>(src, y + i) + x)
                       : make_uint4(0, 0, 0, 0);
}

/* Transposes the loaded rows in registers. Stores them as columns x, x + 1, ... of the tile, each
 * in word `word` of its column. */
template <typename T>
__device__ __forceinline__ void
lay_down(uint32_t *tile, const uint4 (&units)[square_of<T>::in_word], int x, int word)
{
    constexpr int rows = square_of<T>::in_word;

#pragma unroll
    for (int part = 0; part < 4; part++) {
        uint32_t words[rows];

#pragma unroll
        for (int i = 0; i < rows; i++)
            words[i] = part == 0   ? units[i].x
                       : part == 1 ? units[i].y
                       : part == 2 ? units[i].z
                                   : units[i].w;
        turn(words);
#pragma unroll
        for (int i = 0; i < rows; i++)
            tile[place_of<T>(x + part * rows + i, word)] = words[i];
    }
}

/* Writes 16 bytes of a row of the target from column y on; fewer at the row's end. */
template <typename T>
__device__ __forceinline__ void store_unit(const view &dst, int64_t row, int64_t y,
                                           const uint32_t *words)
{
    const uint4 unit = *reinterpret_cast<const uint4 *>(words);
    T *to = row_of<T>(dst, row) + y;

    if (y + square_of<T>::in_unit <= dst.width)
        *reinterpret_cast<uint4 *>(to) = unit;
    else
        for (int i = 0; y + i < dst.width; i++)
            to[i] = reinterpret_cast<const T *>(words)[i];
}

/* Transposes a column of squares, of which the first begins at pixel (x, y). All threads of the
 * block call it. */
template <typename T>
__device__ __forceinline__ void transpose_squares(uint32_t (*tile)[square_of<T>::edge * WORDS],
                                                  const view &src, const view &dst, int64_t x,
                                                  int64_t y)
{
    typedef square_of<T> square;
    const int group = threadIdx.x % GROUPS, part = threadIdx.x / GROUPS;
    uint4 units[square::count][square::in_word];

#pragma unroll
    for (int s = 0; s < square::count; s++)
        load_rows<T>(units[s], src, x + group * square::in_unit,
                     y + s * square::edge + part * square::in_word);
#pragma unroll
    for (int s = 0; s < square::count; s++)
        lay_down<T>(tile[s], units[s], group * square::in_unit, part);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < square::count; s++)
        for (int column = part; column < square::edge; column += THREADS / GROUPS) {
            const int64_t to = y + s * square::edge + group * square::in_unit;

            if (x + column < dst.height && to < dst.width)
                store_unit<T>(dst, x + column, to, tile[s] + place_of<T>(column, 4 * group));
        }
    __syncthreads(); /* before the tile is filled again */
}

/* A panel is a part of the image that is PANEL squares wide and as high as the image. blockIdx.x is
 * a block's column in the panel, blockIdx.y its row, blockIdx.z the panel. A GPU starts blocks in
 * the order of x, then y, then z: first the blocks of a panel, row by row, then the blocks of the
 * next panel. So blocks that run at the same time write to few rows of the target, each next to the
 * bytes that earlier blocks have written. */
template <typename T>
__global__ void __launch_bounds__(THREADS) transpose_vector(const view src, const view dst)
{
    typedef square_of<T> square;
    constexpr int64_t high = (int64_t)square::edge * square::count;
    __shared__ __align__(16) uint32_t tile[square::count][square::edge * WORDS];

    for (int64_t panel = blockIdx.z; panel * PANEL * square::edge < src.width; panel += gridDim.z) {
        const int64_t x = (panel * PANEL + blockIdx.x) * square::edge;

        if (x < src.width)
            for (int64_t y = blockIdx.y * high; y < src.height; y += gridDim.y * high)
                transpose_squares<T>(tile, src, dst, x, y);
    }
}

template <typename T> static const char *launch_squares(const struct piece *piece)
{
    const int edge = square_of<T>::edge;
    const int64_t high = blocks_for(piece->src.height, (int64_t)edge * square_of<T>::count);
    const int64_t panels = blocks_for(piece->src.width, PANEL * edge);
    const dim3 grid(PANEL, blocks_down(high), blocks_down(panels));

    LAUNCH(transpose_vector<T>, grid, dim3(THREADS), 0, piece->stream, piece->src, piece->dst);
    return launched();
}

/* run() calls transpose_shared if pixels do not have 1, 2 or 4 bytes, or if a view is not aligned
 * to 16 bytes. */
extern "C" {
extern const struct variant variant_transpose_shared;
}

static const char *run(const struct piece *piece)
{
    const struct elements elements = elements_of(piece->src, piece->dst);

    if (elements.per_pixel == 1 && elements.bytes < 8 && aligned_view(&piece->src, 16) &&
        aligned_view(&piece->dst, 16))
        return elements.bytes == 1   ? launch_squares<uint8_t>(piece)
               : elements.bytes == 2 ? launch_squares<uint16_t>(piece)
                                     : launch_squares<uint32_t>(piece);
    return variant_transpose_shared.engines->run(piece);
}

static const struct engine engine = {.name = "vector", .run = run};

DEFINE_VARIANT(transpose_vector) = {
    .op = OP_TRANSPOSE,
    .name = "vector",
    .backend = ON_GPU,
    .description = "16 bytes a thread, turned in registers",
    .engines = &engine,
    .count = 1,
};
