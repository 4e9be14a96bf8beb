/* SPDX-License-Identifier: MIT */
/* How the helping warps repair unresolved samples. A repair sums the window again, in integers,
 * from the rows that are still in shared memory. The work is divided into rows of windows: those of
 * up to 32 samples are distributed over the lanes. Taps have 32 bits, and the sums of rows are cut
 * to 2^-23 of a grey level. A sample that is still unresolved, about one in 10^5 repairs, is summed
 * by the definition. If a round has too many unresolved samples, fused_int8 computes the thread
 * block.
 *
 * A round is 32 rows of outputs. The ring buffer in shared memory has slots for groups of 16
 * rows of the image. A plane is one channel whose bytes are gathered. Each tap is cut into
 * REPAIR_DIGITS digits of a byte. */
#ifndef SMOOTHIMG_FUSED_FP16_REPAIR_CUH
#define SMOOTHIMG_FUSED_FP16_REPAIR_CUH

#include "kernels/smooth/fused/fp16/fp16.cuh"

/* Returns the column of an output of a tile, counted from the warp's first column. The output has
 * index 2 pair + second in the tile. */
template <class Shape>
__device__ __forceinline__ uint32_t column_of(int tile, uint32_t pair, int second)
{
    const uint32_t plane = (uint32_t)tile % Shape::planes;

    return 16 * ((uint32_t)tile - plane) + (2 * pair + (uint32_t)second) * Shape::planes + plane;
}

/* Lists the unresolved samples of the warps that this helper serves, as 1024 row + column, both
 * counted in the round. `threshold` as in any_unresolved(). Returns their number, or MAX_REPAIRS +
 * 1 if there are more than MAX_REPAIRS or a queue has overflowed. */
template <class Shape>
__device__ __forceinline__ int list_unresolved(fp16_memory<Shape> &memory, const fp16_queue &queue,
                                               uint32_t threshold, int helper, int lane)
{
    constexpr int warps = COMPUTING / Shape::helpers; /* served by this helper */
    const uint32_t before = (1u << lane) - 1;
    int found = 0;

#pragma unroll 1
    for (int round = 0; round < warps * QUEUE / 32; round++) {
        const int number = lane + 32 * round, warp = number % warps * Shape::helpers + helper;
        /* The first entries of all warps come first, then the second entries, and so on. */
        const int entry = number / warps;
        const uint32_t count = queue.count[warp];
        uint32_t which = 0, where = 0, lanes;

        if (__any_sync(0xffffffff, count > QUEUE))
            return MAX_REPAIRS + 1;
        if (!__any_sync(0xffffffff, (uint32_t)entry < count))
            break;
        if ((uint32_t)entry < count) {
            where = queue.where[warp][entry];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const uint32_t twice = queue.fractions[warp][entry][i] << 1 & 0xfffefffeu;

                which |= ((twice - threshold) & ~twice & 0x80008000u) >> i;
            }
        }
        while ((lanes = __ballot_sync(0xffffffff, which != 0)) != 0) {
            if (which) {
                const int bit = 31 - __clz((int)which), word = 15 - bit % 16;
                const uint32_t of = where & 31;
                const uint32_t y = where / 32 * STEP_ROWS + 2 * (of & 3) + (uint32_t)(bit / 16);
                const uint32_t x = (uint32_t)warp * Shape::warp_columns +
                                   column_of<Shape>(word / 2, of / 4, word % 2);
                const int at = found + __popc(lanes & before);

                which ^= 1u << bit;
                if (at < MAX_REPAIRS)
                    memory.samples[helper][at] = (uint16_t)(y << 10 | x);
            }
            found += __popc(lanes);
        }
    }
    return found <= MAX_REPAIRS ? found : MAX_REPAIRS + 1;
}

/* Where the window of an output begins in a row in shared memory, and how the bytes of its channel
 * are gathered. */
template <class Shape> struct window_place {
    uint32_t offset;                   /* in samples; with several planes in pixels */
    uint32_t selectors[Shape::planes]; /* for gather_planes(): select the output's plane */

    __device__ __forceinline__ window_place(uint32_t column, int halo, int reach)
    {
        if constexpr (Shape::planes == 1) {
            offset = column + (uint32_t)(Shape::before - reach);
        } else {
            const int own = (int)(column % Shape::planes);

            offset = column / Shape::planes + (uint32_t)(Shape::before / Shape::planes - halo);
#pragma unroll
            for (int word = 1; word < Shape::planes; word++)
#pragma unroll
                for (int plane = 0; plane < Shape::planes; plane++)
                    if (plane == own)
                        selectors[word] = selector_of_plane<Shape>(plane, word);
        }
    }
};

/* The bytes of a row of the window. */
template <class Shape> struct window_row {
    static constexpr int reach = Shape::planes == 1 ? Shape::most_reach : Shape::most_halo;
    static constexpr int words = (2 * reach + 7) / 4; /* the first tap is any byte of a word */
    static constexpr int pairs = (2 * reach + 15) / 8;
    uint32_t word[2 * pairs];

    /* group: index of the rows' slot; row: index of the row in it. */
    __device__ __forceinline__ void load(const fp16_memory<Shape> &memory, int group, uint32_t row,
                                         const window_place<Shape> &place)
    {
        if constexpr (Shape::planes == 1)
            load_pairs(shared_address(memory.in[group]), shared_address(memory.side[group]), row,
                       place.offset);
        else
            gather(shared_address(memory.in[group]), row, place);
    }

    __device__ __forceinline__ void load_pairs(uint32_t in, uint32_t side, uint32_t row,
                                               uint32_t offset)
    {
#pragma unroll
        for (int i = 0; i < pairs; i++) {
            const uint32_t at = (offset & ~7u) + 8 * (uint32_t)i;
            const uint2 pair = load_shared<uint2>(
                at < Shape::columns ? in + swizzled(at, row, GROUP_ROWS)
                                    : side + row * Shape::side_row + at - Shape::columns);

            word[2 * i] = pair.x;
            word[2 * i + 1] = pair.y;
        }
#pragma unroll
        for (int i = 0; i < 2 * pairs - 1; i++)
            word[i] = offset & 4 ? word[i + 1] : word[i];
    }

    __device__ __forceinline__ void gather(uint32_t in, uint32_t row,
                                           const window_place<Shape> &place)
    {
#pragma unroll
        for (int i = 0; i < words; i++) { /* the last word may reach past the window */
            const uint32_t first = (place.offset & ~3u) + 4 * (uint32_t)i;
            const uint32_t at =
                min(first * Shape::planes, (uint32_t)(Shape::in_row - 4 * Shape::planes));
            uint32_t all[Shape::planes];

            load_shared_words(all, in + boxed(at, row, GROUP_ROWS, Shape::in_box));
            word[i] = __byte_perm(all[0], all[1], place.selectors[1]);
#pragma unroll
            for (int other = 2; other < Shape::planes; other++)
                word[i] = __byte_perm(word[i], all[other], place.selectors[other]);
        }
        word[words] = 0;
    }

    /* Adds the products of this row with the taps to the sums, one sum for each digit of the
     * taps. */
    __device__ __forceinline__ void add(uint32_t (&sums)[REPAIR_DIGITS], uint32_t offset,
                                        const tap_bytes &bytes)
    {
#pragma unroll
        for (int i = 0; i < words; i++) {
            const uint32_t four = __funnelshift_r(word[i], word[i + 1], offset % 4 * 8);

#pragma unroll
            for (int digit = 0; digit < REPAIR_DIGITS; digit++)
                sums[digit] = __dp4a(four, bytes.words[digit][i], sums[digit]);
        }
    }
};

/* Adds the sums of the windows of `count` samples, from index `first` of the list on, to their
 * totals. Each unit of work is two rows at the same distance from the sample's row, which share a
 * weight; the sample's own row is paired with itself. slot: index of the round's first row in the
 * ring. */
template <class Shape>
__device__ __forceinline__ void sum_windows(fp16_memory<Shape> &memory, const tap_bytes &bytes,
                                            int halo, int reach, int first, int count, int slot,
                                            int helper, int lane)
{
    const int distances = halo + 1, items = count * distances;

#pragma unroll 1
    for (int item = lane; item < items; item += 32) {
        const int sample = item / distances, distance = item - sample * distances;
        const uint32_t at = memory.samples[helper][first + sample];
        const window_place<Shape> place(at & 1023, halo, reach);
        uint32_t sums[REPAIR_DIGITS] = {};
        window_row<Shape> rows[2];

#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t y = (at >> 10) + (uint32_t)(i ? halo + distance : halo - distance);
            const int ring = slot + (int)(y / GROUP_ROWS);
            const int group = ring >= Shape::groups ? ring - Shape::groups : ring;

            rows[i].load(memory, group, y % GROUP_ROWS, place);
        }
        rows[0].add(sums, place.offset, bytes);
        rows[1].add(sums, place.offset, bytes);
        atomicAdd(&memory.total[helper][sample], repair_term(sums, memory.taps[distance]));
    }
}

/* Computes a sample in the definition's integers. The whole warp calls it, and its first lane
 * returns the sample. */
__device__ __forceinline__ uint32_t exact_sample(const source &src, const fp16_exact &exact,
                                                 int64_t x, int64_t y, int32_t channel)
{
    const int lane = (int)threadIdx.x % 32;

    return (uint32_t)exact_round(sum_window<uint8_t>(src, exact, x, y, channel, lane, 32),
                                 exact.x().maxval);
}

/* Repairs the listed samples: overwrites them in the round's buffer of outputs. */
template <class Shape>
__device__ __forceinline__ void
repair(fp16_memory<Shape> &memory, const source &src, const fp16_work &work, const tap_bytes &bytes,
       const fp16_exact &exact, int found, int round, int buffer, int slot, int helper, int lane)
{
#pragma unroll 1
    for (int first = 0; first < found; first += 32) {
        const int count = min(32, found - first);

        memory.total[helper][lane] = (1u << (TOTAL_BITS - 1)) + repair_slack(work.halo); /* 1/2 */
        __syncwarp();
        sum_windows(memory, bytes, work.halo, work.reach, first, count, slot, helper, lane);
        __syncwarp();
        const uint32_t at = memory.samples[helper][first + min(lane, count - 1)];
        const uint32_t total = memory.total[helper][lane];
        const uint32_t place = place_of_output<Shape>(at & 1023, at >> 10);
        const bool open = total % (1u << TOTAL_BITS) < 2 * repair_slack(work.halo);

        if (lane < count && !open)
            memory.out[buffer][place] = (uint8_t)(total >> TOTAL_BITS);
        for (uint32_t left = __ballot_sync(0xffffffff, lane < count && open); left;
             left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            const uint32_t which = __shfl_sync(0xffffffff, at, owner);
            const uint32_t to = __shfl_sync(0xffffffff, place, owner);
            const int64_t column = work.column + (int64_t)(which & 1023);
            const int64_t row = work.row + (int64_t)round * ROUND_ROWS + (which >> 10);

            if (column >= work.width || row >= work.height)
                continue;
            const uint32_t sample = exact_sample(src, exact, column / work.channels, row,
                                                 (int32_t)(column % work.channels));
            if (lane == 0)
                memory.out[buffer][to] = (uint8_t)sample;
        }
        __syncwarp();
    }
}

#endif
