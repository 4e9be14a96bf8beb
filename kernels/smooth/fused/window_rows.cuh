/* SPDX-License-Identifier: MIT */
/* How fused_window loads the image, through shared memory. Either each lane loads its own 16 bytes
 * (cp.async), some rows ahead; or an extra warp has the copy unit of sm_90 load the block's rows,
 * several at a time. Both have the same functions. To use 4 TB/s at a latency of 0.7 microseconds,
 * each of an H200's 132 multiprocessors needs 22 KB in flight. */
#ifndef SMOOTHIMG_FUSED_WINDOW_ROWS_CUH
#define SMOOTHIMG_FUSED_WINDOW_ROWS_CUH

#include "kernels/common/launch.cuh"

#include <cuda_pipeline_primitives.h>
#include <type_traits>

/* nvcc compiles for each GPU by itself, the emulated device's compiler for all at once. */
#if !defined(__NVCC__) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
#define HAS_COPY_UNIT
#include "kernels/smooth/fused/fp16/mma.cuh"
#endif

#define WINDOW_WARPS 4  /* in a block, that compute; each has columns of its own */
#define USEFUL_LANES 30 /* of a warp: the first and the last only serve as neighbours */
#define WINDOW_UNITS (USEFUL_LANES * WINDOW_WARPS + 2) /* of 16 bytes in a block's row */

/* A block's rows, from `first` on in the topmost. */
struct window_image {
    const char *first;
    int64_t stride;
    int rows, units; /* units: of 16 bytes, that there are in a row */
};

/* USEFUL: lanes of a warp that are no neighbours only. */
template <int USEFUL> struct rows_by_lanes {
    static constexpr int ahead = 8; /* a power of two */

    struct memory {
        uint4 rows[WINDOW_WARPS][ahead][32];
    };

    uint4 *slots;     /* of this lane: one for each row under way, 32 apart */
    const char *next; /* of this lane, in the row to be asked for next */
    int64_t stride;
    int left; /* rows not yet asked for */
    int row;  /* to be taken next */
    bool there;

    static __device__ __forceinline__ void open(memory &, int) {}

    static __device__ __forceinline__ void bring(memory &, const window_image &, int) {}

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
        const int unit = USEFUL * warp + lane;

        slots = &memory.rows[warp][0][lane];
        next = image.first + 16 * unit;
        stride = image.stride;
        left = image.rows;
        row = 0;
        there = unit < image.units;
        for (int i = 0; i < ahead; i++) {
            if (!there) /* its samples count for nothing, but are read */
                slots[i * 32] = make_uint4(0, 0, 0, 0);
            ask(i);
        }
    }

    /* This lane's bytes of the next row, which is row `phase` of the inner loop. */
    __device__ __forceinline__ uint4 take(int)
    {
        __pipeline_wait_prior(ahead - 1);
        const uint4 in = slots[row % ahead * 32];

        ask(row++);
        return in;
    }
};

#ifdef HAS_COPY_UNIT
/* A stage holds the rows of one round of the inner loop, so that a row's place is a constant. */
template <int ROWS> struct rows_by_unit {
    static constexpr int stages = ROWS < 5 ? 4 : 3, stage_rows = ROWS;

    struct memory {
        uint4 rows[stages][stage_rows][WINDOW_UNITS];
        uint64_t full[stages], empty[stages]; /* barriers */
    };

    memory *from;
    int unit; /* of this lane */
    int stage;
    uint32_t parity;

    /* warps: that take rows. The whole block calls it. */
    static __device__ __forceinline__ void open(memory &memory, int warps)
    {
        if (threadIdx.x < stages) {
            barrier_init(shared_address(&memory.full[threadIdx.x]), 1);
            barrier_init(shared_address(&memory.empty[threadIdx.x]), (uint32_t)warps * 32);
            barriers_ready();
        }
        __syncthreads();
    }

    /* The loop of the last warp, which loads the rows. */
    static __device__ __forceinline__ void bring(memory &memory, const window_image &image,
                                                 int lane)
    {
        const uint32_t bytes = 16 * (uint32_t)image.units;
        uint32_t parity = 1;
        int stage = 0;

        for (int row = 0; row < image.rows; row += stage_rows) {
            const uint32_t full = shared_address(&memory.full[stage]);
            const int rows = min(stage_rows, image.rows - row);

            barrier_wait(shared_address(&memory.empty[stage]), parity);
            if (lane == 0)
                barrier_expect(full, (uint32_t)rows * bytes);
            __syncwarp();
            if (lane < rows)
                row_load(shared_address(memory.rows[stage][lane]),
                         image.first + (row + lane) * image.stride, bytes, full);
            if (++stage == stages) {
                stage = 0;
                parity ^= 1;
            }
        }
    }

    __device__ __forceinline__ void begin(memory &memory, const window_image &, int warp, int lane)
    {
        from = &memory;
        unit = USEFUL_LANES * warp + lane;
        stage = 0;
        parity = 0;
    }

    __device__ __forceinline__ uint4 take(int phase)
    {
        if (phase == 0)
            barrier_wait(shared_address(&from->full[stage]), parity);
        const uint4 in = from->rows[stage][phase][unit];

        if (phase == stage_rows - 1) {
            barrier_arrive(shared_address(&from->empty[stage]));
            if (++stage == stages) {
                stage = 0;
                parity ^= 1;
            }
        }
        return in;
    }
};
#else
template <int ROWS> using rows_by_unit = rows_by_lanes<USEFUL_LANES>;
#endif

/* Which of the two a halo uses: the extra warp costs a fifth of the registers, too many for larger
 * windows. round: rows of the inner loop; six are faster than three but for 8 bits, whose
 * code is long. BY_UNIT: if the GPU has a copy unit; then USEFUL is USEFUL_LANES. */
template <int HALO, int SAMPLE_BYTES, bool BY_UNIT = true, int USEFUL = USEFUL_LANES>
struct window_rows {
    static constexpr int warps = WINDOW_WARPS + (HALO <= 2 ? 1 : 0);
    static constexpr int round = (2 * HALO + 1) * (HALO == 1 && SAMPLE_BYTES > 1 ? 2 : 1);
    typedef std::conditional_t<(BY_UNIT && HALO <= 2), rows_by_unit<round>, rows_by_lanes<USEFUL>>
        type;
};

#endif
