/* SPDX-License-Identifier: MIT */
/* Loads the image into shared memory for fused_window, in one of two ways. Without a copy unit,
 * each lane loads its own 16 bytes (cp.async) some rows ahead. With the copy unit of sm_90, the TMA
 * (tensor memory accelerator), an extra warp loads rows of the whole block, several at a time.
 * There is a class for each way; both classes have the same functions. A load has a latency of 0.7
 * microseconds. So, to use 4 TB/s, each of an H200's 132 multiprocessors needs 21 KB of loads in
 * flight.
 *
 * A ring is a buffer whose rows are used in turn; a round is the rows of one iteration of the
 * kernel's outer loop; a stage is the part of the ring with the rows of one round. */
#ifndef SMOOTHIMG_FUSED_WINDOW_ROWS_CUH
#define SMOOTHIMG_FUSED_WINDOW_ROWS_CUH

#include "kernels/smooth/fused/block_row.cuh"
#include "kernels/smooth/segments.cuh"

#include <cuda_pipeline_primitives.h>
#include <type_traits>

/* The copy unit exists from sm_90 on. nvcc compiles for each GPU separately; the emulated device's
 * code is compiled once, for all GPUs. */
#if !defined(__NVCC__) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
#define HAS_COPY_UNIT
#include "kernels/smooth/fused/copies.cuh"
#endif

/* Computing warps of a block, each with its own columns. On sm_90 one more warp loads rows. */
#define WINDOW_WARPS 4
/* Lanes with outputs; the first and the last lane of a warp only give sums to their neighbours. */
#define USEFUL_LANES 30
#define WINDOW_UNITS (USEFUL_LANES * WINDOW_WARPS + 2) /* units of 16 bytes in a block's row */

/* The rows of the image that a block needs. */
struct window_image {
    const stack &images;
    int64_t first; /* index, in the image's row, of the first sample of the block's first unit */
    int64_t end;   /* no sample from this index on is needed */
    int reach;     /* an output depends on this many samples on each side of it */
    int64_t y;     /* index of the topmost row */
    int rows;

    __device__ __forceinline__ source src() const
    {
        return image_of_block(images.src, images.src_apart);
    }
};

/* Describes the copy of `units` units of 16 bytes of a row. skip: index of the first of them,
 * counted from the block's first unit. */
template <typename Sample>
__device__ __forceinline__ block_row row_of_window(const window_image &image, int skip, int units)
{
    constexpr int per_unit = 16 / (int)sizeof(Sample);
    const int margin = per_unit - image.reach;
    const int64_t first = image.first + skip * per_unit;

    return block_row_of<per_unit>(
        image.src(), first, margin,
        (int)min(image.end - first, (int64_t)(units * per_unit - margin)));
}

/* The class in which each lane loads its own bytes. ROWS: rows of a round. */
template <typename Sample, int ROWS> struct rows_by_lanes {
    static constexpr int ahead = 8; /* rows that are loaded ahead; rows of the ring */
    static_assert(ROWS <= ahead, "a round fits into the ring");

    struct memory {
        uint4 rows[WINDOW_WARPS][ahead][32];
        block_ends ends[WINDOW_WARPS];
    };

    uint4 *slots;     /* this lane's slots in the ring: one for each row, 32 elements apart */
    const char *next; /* this lane's bytes of the next row to load */
    int64_t stride;
    int left;    /* rows not yet loaded */
    int row;     /* next row to use */
    bool there;  /* this lane loads ahead: its bytes exist, and at_end is false */
    bool at_end; /* the warp reaches an end of the image */
    const block_ends *ends;

    static __device__ __forceinline__ void open(memory &, int) {}

    static __device__ __forceinline__ void bring(memory &, const window_image &) {}

    /* Starts the load of this lane's bytes of the row with index `number`. */
    __device__ __forceinline__ void ask(int number)
    {
        if (there && left > 0)
            __pipeline_memcpy_async(slots + number % ahead * 32, next, 16);
        __pipeline_commit();
        next += stride;
        left--;
    }

    __device__ __forceinline__ void begin(memory &memory, const window_image &image, int warp,
                                          int lane)
    {
        const block_row units = row_of_window<Sample>(image, USEFUL_LANES * warp, 32);

        set_ends<16 / (int)sizeof(Sample)>(memory.ends[warp], image.src(), units);
        ends = &memory.ends[warp];
        slots = &memory.rows[warp][0][lane];
        next = reinterpret_cast<const char *>(row_of<const Sample>(image.src(), image.y) +
                                              units.first) +
               16 * lane;
        stride = image.images.src.stride_bytes;
        left = image.rows;
        row = 0;
        at_end =
            units.gathered > 0 || !source_has_rows(image.src(), image.y, image.y + image.rows - 1);
        there = !at_end && lane >= units.units && lane < units.end;
        /* Slots that no load fills are set to zeros, since the lanes read all slots, even those on
         * which no output depends. */
        for (int i = 0; i < ahead && !there; i++)
            slots[i * 32] = make_uint4(0, 0, 0, 0);
        for (int i = 0; i < ahead; i++)
            ask(i);
    }

    /* Called before the rows of each round are taken. Only warps that reach an end of the image
     * load them here, and wait for them. */
    __device__ __forceinline__ void begin_round(const window_image &image, int lane)
    {
        if (!at_end)
            return;
        uint4(*const first)[32] = reinterpret_cast<uint4(*)[32]>(slots - lane);

        __syncwarp(); /* waits until all lanes have used the rows of the previous round */
        load_rows_at_end<Sample>(
            image.src(), *ends, image.y + row, min(ROWS, image.rows - row),
            [&](int r) { return first[(row + r) % ahead]; },
            [](uint4 *to, const void *from) { __pipeline_memcpy_async(to, from, 16); });
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncwarp();
    }

    /* Returns this lane's bytes of the next row. */
    __device__ __forceinline__ uint4 take(int)
    {
        __pipeline_wait_prior(ahead - 1);
        const uint4 in = slots[row % ahead * 32];

        ask(ahead + row++);
        return in;
    }
};

#ifdef HAS_COPY_UNIT
/* Writes into a stage (a buffer of rows) the data that the copy unit cannot write: gathered
 * samples, and rows of zeros. lines: as lines_of_lanes() returns them, for the stage's rows. zeros:
 * bit r is set if row r of the stage is a row of zeros. freed, parity: the barrier to wait for
 * before the stage is filled, and the parity of its phase; the samples are loaded before that
 * wait. */
template <typename Sample>
__device__ __forceinline__ void bring_ends(uint4 (*stage)[WINDOW_UNITS], const source &src,
                                           const block_ends &ends, const Sample *lines, int rows,
                                           uint32_t zeros, uint32_t freed, uint32_t parity)
{
    gather_samples<Sample>(
        src, ends, lines, rows, [&] { barrier_wait(freed, parity); },
        [&](int r, int place, Sample sample) {
            reinterpret_cast<Sample *>(stage[r])[place] = sample;
        });
    barrier_wait(freed, parity);
    for (; zeros; zeros &= zeros - 1)
        for (int i = ends.row.units + (int)threadIdx.x % 32; i < ends.row.end; i += 32)
            stage[__ffs((int)zeros) - 1][i] = make_uint4(0, 0, 0, 0);
    fence_for_tma(); /* so that the copy unit may overwrite the zeros */
    __syncwarp();
}

/* The class for the copy unit. A stage has the rows of one round, so the index of each row in its
 * stage is a constant. ROWS: rows of a round. */
template <typename Sample, int ROWS> struct rows_by_unit {
    static constexpr int stages = ROWS < 5 ? 4 : 3, stage_rows = ROWS;

    struct memory {
        uint4 rows[stages][stage_rows][WINDOW_UNITS];
        block_ends ends;
        /* Barriers of each stage. full: the stage is loaded; freed: the stage may be refilled. */
        uint64_t full[stages], freed[stages];
    };

    memory *from;
    int unit; /* which unit (UNIT bytes) of each row this lane reads */
    ring_slot<stages> stage;

    /* Initialises the barriers. All threads of the block call this function. warps: number of warps
     * that use the rows. */
    static __device__ __forceinline__ void open(memory &memory, int warps)
    {
        if (threadIdx.x < stages) {
            barrier_init(shared_address(&memory.full[threadIdx.x]), 32);
            barrier_init(shared_address(&memory.freed[threadIdx.x]), (uint32_t)warps * 32);
            barriers_ready();
        }
        __syncthreads();
    }

    /* The loop of the last warp, which loads the rows. Not inlined, so that the other warps do not
     * need its registers too. */
    static __device__ __noinline__ void bring(memory &memory, const window_image &image)
    {
        const int lane = (int)threadIdx.x % 32;
        const block_row units = row_of_window<Sample>(image, 0, WINDOW_UNITS);
        const uint32_t bytes = 16 * (uint32_t)(units.end - units.units);
        ring_slot<stages> stage = {0, 1};

        set_ends<16 / (int)sizeof(Sample)>(memory.ends, image.src(), units);
        for (int row = 0; row < image.rows; row += stage_rows) {
            const uint32_t full = shared_address(&memory.full[stage.index]);
            const uint32_t freed = shared_address(&memory.freed[stage.index]);
            const int rows = min(stage_rows, image.rows - row);
            const Sample *line = lines_of_lanes<Sample>(image.src(), image.y + row, rows);
            const uint32_t zeros = __ballot_sync(0xffffffff, lane < rows && !line);

            if (units.gathered > 0 || zeros)
                bring_ends<Sample>(memory.rows[stage.index], image.src(), memory.ends, line, rows,
                                   zeros, freed, stage.parity);
            else
                barrier_wait(freed, stage.parity);
            if (lane == 0)
                barrier_expect(full, (uint32_t)(rows - __popc(zeros)) * bytes);
            else
                barrier_arrive(full); /* after the lane's own stores */
            __syncwarp();
            if (line && bytes > 0)
                row_load(shared_address(memory.rows[stage.index][lane] + units.units),
                         line + units.first + units.units * (16 / (int)sizeof(Sample)), bytes,
                         full);
            stage.advance();
        }
    }

    __device__ __forceinline__ void begin(memory &memory, const window_image &, int warp, int lane)
    {
        from = &memory;
        unit = USEFUL_LANES * warp + lane;
        stage = {0, 0};
    }

    __device__ __forceinline__ void begin_round(const window_image &, int) {}

    __device__ __forceinline__ uint4 take(int phase)
    {
        if (phase == 0)
            barrier_wait(shared_address(&from->full[stage.index]), stage.parity);
        const uint4 in = from->rows[stage.index][phase][unit];

        if (phase == stage_rows - 1) {
            barrier_arrive(shared_address(&from->freed[stage.index]));
            stage.advance();
        }
        return in;
    }
};
#else
template <typename Sample, int ROWS> using rows_by_unit = rows_by_lanes<Sample, ROWS>;
#endif

/* round: how many rows a round has, a multiple of the window's 2 HALO + 1. At halo 1 six rows are
 * faster than three, except for 8 bits, where the code is long. BY_UNIT: the GPU has a copy
 * unit. */
template <int HALO, typename Sample, bool BY_UNIT> struct window_rows {
    static constexpr int round = (2 * HALO + 1) * (HALO == 1 && sizeof(Sample) > 1 ? 2 : 1);
    typedef std::conditional_t<BY_UNIT, rows_by_unit<Sample, round>, rows_by_lanes<Sample, round>>
        type;
};

#endif
