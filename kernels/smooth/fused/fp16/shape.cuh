/* SPDX-License-Identifier: MIT */
/* The kernel fused_fp16 smooths on half-float tensor cores, for 8 bits and halos 2 to 16. An image
 * has one to four channels, or more if the filter reaches at most 16 samples along a row. This file
 * has the kernel's constants and the layout of its shared memory. The sums along a row are the
 * product of a matrix of weights and the image. Unless planes are gathered (see below), the image's
 * bytes are an operand without any rearrangement. Each sum is cut into digits in base 2^11. The
 * registers that hold the digits are directly an operand of the product down the columns.
 * fp16/bound.cuh has the arithmetic, fp16/repair.cuh the repair of unresolved samples.
 *
 * A thread block computes 256 columns of outputs, from top to bottom. A plane is one channel whose
 * bytes are gathered into operands of their own; with three planes a thread block has 192 columns.
 *
 *     step    8 rows; the four computing warps compute 64 columns each (48 with three planes)
 *     group   16 rows of the image, which are loaded together
 *     round   32 rows of outputs; after it, a helping warp repairs and stores
 *
 * One or two helping warps load, repair, and store: on Hopper by the TMA (tensor memory
 * accelerator), on older GPUs without it (fp16/transport). Ring buffers in shared memory hold
 * groups and rounds, with barriers: `full` (a group has arrived), `done` (a round is computed),
 * `freed` (the round's buffer may be filled again).
 *
 * The sizes below were the fastest ones on an H200; kernels/NOTES.md has the measurements.
 *
 * A line of shared memory is 128 bytes, a unit is 16 bytes. A box is the rectangle of an image that
 * one copy by the TMA moves. */
#ifndef SMOOTHIMG_FUSED_FP16_SHAPE_CUH
#define SMOOTHIMG_FUSED_FP16_SHAPE_CUH

#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/fused/fp16/tables.cuh"
#include "kernels/smooth/fused/block_row.cuh"
#include "kernels/smooth/fused/fp16/mma.cuh"

#define COMPUTING 4 /* computing warps of a thread block */
#define STEP_ROWS 8
#define ROUND_STEPS 4
#define ROUND_ROWS (STEP_ROWS * ROUND_STEPS)
#define GROUP_ROWS 16
#define ROW_BYTES 128       /* bytes of a row of a swizzled box: one line */
#define MAX_REPAIRS 128     /* most samples that a helping warp computes again in a round */
#define FP16_ALIGNMENT 1024 /* alignment of shared memory in bytes, for swizzled boxes */

/* Constants that depend on the GPU, the halo and the channels. BULK: the TMA copies, box by box,
 * what one thread asks for; otherwise each lane of the helping warps copies 16 bytes at a time.
 * CLASS and KIND: results of fp16_class() and fp16_kind(). A tile is 16 neighbouring samples of a
 * row. With planes it is 16 pixels of one channel, whose bytes are gathered as they are read
 * (int8/planes.cuh). */
template <bool BULK, int CLASS, int KIND> struct fp16_shape {
    static constexpr bool bulk = BULK;
    static constexpr int bytes = 1, planes = KIND > 1 ? KIND : 1; /* bytes: the size of a sample */
    static constexpr int most_halo = fp16_halos[CLASS];
    /* Eight rows of outputs need this many blocks of eight rows of the image. */
    static constexpr int blocks = 1 + (most_halo + 3) / 4;
    static constexpr int shift = fp16_shift(most_halo);
    static constexpr bool large = blocks > 3;
    /* True if 16 outputs need 48 samples of a row; otherwise 32 are enough. */
    static constexpr bool wide = large || KIND == 1;
    static constexpr int tiles = planes == 3 ? 3 : 4; /* tiles of a warp, each of 16 outputs */
    static constexpr int warp_columns = 16 * tiles;
    static constexpr int columns =
        warp_columns * COMPUTING; /* outputs of a thread block in a row */
    /* How many samples to the left of a thread block's outputs are loaded: whole units of 16 bytes.
     * The first `skip` of these samples are not used. */
    static constexpr int before = (wide || planes % 2 ? 16 : 8) * planes;
    static constexpr int skip = planes > 1 && !wide ? before - 8 * planes : 0;
    static constexpr bool folded = planes == 1 && !wide; /* folded operands: fp16/tables.cuh */
    /* Each weight along the rows is split into FP16_DIGITS digits. A lane holds one digit of all
     * its weights in this many registers. */
    static constexpr int registers = wide ? 6 : 4;
    static constexpr int most_reach = KIND == 1 ? FP16_MAX_REACH : most_halo * planes; /* samples */
    static constexpr int helpers = large ? 2 : 1;
    /* True if a thread block has more buffers than usual: only for large halos on Hopper, since
     * earlier GPUs have less shared memory. */
    static constexpr bool deep = large && bulk;
    static constexpr int groups = deep ? 9 : 6; /* buffers of groups, being loaded or in use */
    static constexpr int rounds = deep ? 4 : 2; /* buffers of outputs */
    /* How many thread blocks are to run on a multiprocessor at the same time. */
    static constexpr int resident = fp16_resident(most_halo, bulk);
    /* The image in shared memory. With one plane, the first `columns` samples of a row are in
     * boxes, and each row of a box is one swizzled line. The samples to their right are in another
     * buffer, `side`. With planes, the length of a box's row puts the lanes of a read into
     * different banks. */
    static constexpr int side_row = planes == 1 ? 2 * before : 0; /* bytes right of `columns` */
    static constexpr int side_bytes = GROUP_ROWS * side_row;
    static constexpr int in_row = columns + (planes == 1 ? 0 : 2 * before); /* bytes */
    static constexpr int in_box = planes == 1   ? ROW_BYTES
                                  : planes == 2 ? (wide ? 160 : 96)
                                  : planes == 3 ? 144
                                                : (wide ? 192 : 64);
    static constexpr int in_bytes = GROUP_ROWS * in_row; /* bytes of a group */
    static_assert(in_row % in_box == 0, "boxes make up the row");
    /* The outputs. With three planes a row is not a whole number of lines of 128 bytes, and boxes
     * are 96 bytes wide. */
    static constexpr int out_box = planes == 3 ? 96 : ROW_BYTES;
    static constexpr int out_bytes = ROUND_ROWS * columns; /* bytes of a round */
    static constexpr int threads = 32 * (COMPUTING + helpers);
};

/* True if some request uses this shape. Planes are used only if taps that are a pixel apart reach
 * beyond FP16_MAX_REACH samples. */
template <int CLASS, int KIND>
constexpr bool FP16_HAS_SHAPE = KIND == 0 ||
                                (KIND == 1 ? CLASS < 3 : KIND * fp16_halos[CLASS] > FP16_MAX_REACH);

/* Returns whether kernels with this way to copy are in the code for a GPU. arch: its
 * __CUDA_ARCH__. */
__host__ __device__ static constexpr bool fp16_is_compiled_for(int arch, bool bulk)
{
    return bulk ? arch == 900 : arch >= 800 && arch < 900;
}

/* What the TMA copies: the source, the part of the source to the right of a thread block's boxes in
 * `in`, and the outputs. */
struct fp16_maps {
    CUtensorMap in, side, out;
    int left, above; /* column and row of the source's first sample in the maps `in` and `side` */
};

/* The unresolved samples of a round that a helping warp computes again, each as 1024 row + column.
 */
struct fp16_queue {
    uint32_t count; /* if above MAX_REPAIRS, some are missing */
    uint16_t samples[MAX_REPAIRS];
};

template <class Shape> struct fp16_memory {
    uint8_t out[Shape::rounds][Shape::out_bytes]; /* [box][row][byte]: place_of_output() */
    uint8_t in[Shape::groups][Shape::in_bytes];   /* [box][row][byte] */
    uint8_t side[Shape::groups][Shape::side_bytes + (Shape::planes > 1)]; /* [row][byte] */
    alignas(8) uint64_t full[Shape::groups]; /* barriers, like the next two members */
    uint64_t done[Shape::rounds];
    uint64_t freed[Shape::rounds];
    fp16_queue queue[Shape::rounds][Shape::helpers];
    /* To compute unresolved samples again: the taps (fp16_tables), and the totals of the 32 samples
     * that a helping warp computes at a time. */
    uint32_t taps[Shape::most_halo + 1];
    alignas(16) uint32_t total[Shape::helpers][32];
    block_ends ends; /* the ends of the thread block's rows */
};

/* The work of a thread block, and the values that all its warps share. */
struct fp16_work {
    int column, row; /* position of the first output */
    int steps;       /* steps of image rows, including the first ones, which only fill the window */
    int rounds;
    int64_t width, height;     /* of the image: samples in a row; rows */
    int channels, halo, reach; /* reach: halo * channels */
    /* at_side: the thread block needs columns outside the image, which the edge rule supplies;
     * at_end: it needs such columns or rows. */
    bool at_side, at_end;
};

/* Returns the offset of byte `offset` of row `row` in a buffer of `rows` rows. Multiples of 16 stay
 * multiples of 16. The TMA's swizzle permutes the 16-byte units of each ROW_BYTES bytes of a row.
 * Eight consecutive rows have different permutations, so that units with the same index in these
 * rows are in different banks. */
__device__ __forceinline__ uint32_t swizzled(uint32_t offset, uint32_t row, uint32_t rows)
{
    return offset / ROW_BYTES * (rows * ROW_BYTES) + row * ROW_BYTES +
           ((offset % ROW_BYTES) ^ (row % 8 * 16));
}

/* Returns the offset of byte `offset` of row `row` in a buffer without swizzling. box: bytes in a
 * row of a box. */
__device__ __forceinline__ uint32_t boxed(uint32_t offset, uint32_t row, uint32_t rows,
                                          uint32_t box)
{
    return offset / box * (rows * box) + row * box + offset % box;
}

/* Returns the offset of an output in a round's buffer. */
template <class Shape>
__device__ __forceinline__ uint32_t place_of_output(uint32_t column, uint32_t row)
{
    return Shape::planes == 3 ? boxed(column, row, ROUND_ROWS, Shape::out_box)
                              : swizzled(column, row, ROUND_ROWS);
}

#endif
