/* SPDX-License-Identifier: MIT */
/* Stores the outputs of fused_int8, and later those that were unresolved. */
#ifndef SMOOTHIMG_FUSED_INT8_OUTPUT_CUH
#define SMOOTHIMG_FUSED_INT8_OUTPUT_CUH

#include "kernels/smooth/fused/int8/memory.cuh"
#include "kernels/smooth/fused/repair.cuh"

/* Where a lane stores: 16 bytes of a row of outputs; with 16-bit samples, of two rows of a step. */
struct int8_target {
    char *next;
    int64_t stride;
    int bytes; /* to the end of the image's row: 16 or more, or fewer at its end */
    int rows;  /* from the lane's first row to the end of the thread block's rows */
};

template <class Shape>
__device__ __forceinline__ int8_target target_of_block(const view &dst, int64_t sample, int64_t row,
                                                       int rows, int lane)
{
    constexpr int in_row = Shape::tiles * Shape::bytes; /* lanes of a row */
    const int down = lane / in_row, right = lane % in_row * 16;
    const int64_t bytes = (dst.width * dst.channels - sample) * Shape::bytes - right;
    const bool writes = down < 8 / Shape::bytes; /* with three tiles some lanes do not write */

    return {row_of<char>(dst, row + down) + sample * Shape::bytes + right, dst.stride_bytes,
            (int)max(min(bytes, (int64_t)16), (int64_t)0), writes ? rows - down : 0};
}

/* Lays a step's outputs into `out`, the warp's shared memory, which joins the samples of several
 * lanes. Each lane writes two neighbouring pixels, of `planes` samples, at a time, or two
 * neighbouring samples. t: the totals, as sum_down_columns leaves them. */
template <class Shape>
__device__ __forceinline__ void lay_out_step(char *out, const uint32_t (&t)[Shape::tiles][4],
                                             int lane)
{
    constexpr int row_bytes = int8_memory<Shape>::out_row, planes = Shape::planes;
    char *to = out + lane % 4 * 2 * row_bytes + lane / 4 * 2 * planes * Shape::bytes;

#pragma unroll
    for (int tile = 0; tile < Shape::tiles; tile += planes)
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int sample = 0; sample < 2 * planes; sample += 2) {
                const uint32_t first = t[tile + sample % planes][sample / planes * 2 + i];
                const uint32_t second =
                    t[tile + (sample + 1) % planes][(sample + 1) / planes * 2 + i];
                void *pair = to + i * row_bytes + (16 * tile + sample) * Shape::bytes;

                if constexpr (Shape::bytes == 1)
                    *static_cast<uint16_t *>(pair) = (uint16_t)__byte_perm(first, second, 0x0073);
                else
                    *static_cast<uint32_t *>(pair) = __byte_perm(first, second, 0x7632);
            }
}

/* Stores a step's outputs, 16 bytes a lane. */
template <class Shape>
__device__ __forceinline__ void store_step(int8_target &target, char *out,
                                           const uint32_t (&t)[Shape::tiles][4], int lane)
{
    constexpr int row_bytes = int8_memory<Shape>::out_row, in_row = Shape::tiles * Shape::bytes;
    constexpr int rows = 8 / Shape::bytes; /* rows that the lanes write at once */
    const char *from = out + lane / in_row * row_bytes + lane % in_row * 16;

    lay_out_step<Shape>(out, t, lane);
    __syncwarp();
#pragma unroll
    for (int row = 0; row < 8; row += rows) {
        const char *unit = from + row * row_bytes;
        char *there = target.next + row * target.stride;

        if (row < target.rows && target.bytes == 16)
            *reinterpret_cast<uint4 *>(there) = *reinterpret_cast<const uint4 *>(unit);
        else if (row < target.rows)
#pragma unroll 1
            for (int byte = 0; byte < target.bytes; byte++)
                there[byte] = unit[byte];
    }
    target.next += 8 * target.stride;
    target.rows -= 8;
}

/* A warp's unresolved samples. Either a queue gathers them for the list: an atomic addition to the
 * list's count takes a microsecond, for which the whole thread block would wait. Or they are
 * marked, and the warp computes them after its rows. */
struct int8_queue {
    uint32_t *queue;    /* entries: 512 step + 32 i + lane, where i counts the lane's totals */
    int count;          /* entries in the queue */
    uint16_t *marks;    /* [step][lane]: bit i is the lane's total i */
    int64_t first, top; /* of the warp's first output */
    int samples, rows;  /* from there to the ends of the image's row and of the block's rows */
};

/* The sample of an entry, as its distance right of and below the warp's first output. */
template <int PLANES> __device__ __forceinline__ int right_of(uint32_t entry)
{
    const uint32_t tile = entry / 128 % 4, plane = tile % PLANES;

    return (int)((tile - plane) * 16 + (entry % 32 / 4 * 2 + entry / 64 % 2) * PLANES + plane);
}

__device__ __forceinline__ int down_of(uint32_t entry)
{
    return (int)(entry / 512 * 8 + entry % 4 * 2 + entry / 32 % 2);
}

/* Where unresolved samples go. */
struct int8_list {
    unresolved_list *list;
    int64_t capacity;
    int channels; /* of the image */
};

/* Arguments with which a warp computes its unresolved samples itself. */
struct int8_repair {
    const source &src;
    const view &dst;
    const int8_exact &filter;
};

/* Moves the queue's entries to the list. Beyond its capacity only the count grows. */
template <class Shape>
__device__ __forceinline__ void list_queue(const int8_queue &own, const int8_list &to)
{
    const int lane = (int)threadIdx.x % 32, channels = to.channels;
    unsigned long long at = 0;

    __syncwarp();
    if (lane == 0)
        at = atomicAdd(&to.list->count, (unsigned long long)own.count);
    at = __shfl_sync(0xffffffff, at, 0);
    for (int i = lane; i < own.count; i += 32) {
        const int64_t sample = own.first + right_of<Shape::planes>(own.queue[i]);

        if (at + (unsigned)i < (unsigned long long)to.capacity)
            to.list->entries[at + (unsigned)i] = {sample / channels,
                                                  own.top + down_of(own.queue[i]),
                                                  (int32_t)(sample % channels), 1};
    }
    __syncwarp();
}

/* Computes the queue's samples in the definition's integers, sharing the lanes evenly among them.
 * Not inlined: it is rare, and its registers must not count for the loop. */
template <class Shape>
__device__ __noinline__ void repair_queue(const int8_queue &own, const int8_repair &repair)
{
    typedef typename Shape::sample sample;
    const int lane = (int)threadIdx.x % 32, channels = repair.src.channels;
    int lanes = 32; /* lanes for one sample */

    while (lanes > 1 && own.count * lanes > 32)
        lanes /= 2;
    __syncwarp();
    for (int i = lane / lanes; __any_sync(0xffffffff, i < own.count); i += 32 / lanes) {
        const uint32_t entry = own.queue[min(i, own.count - 1)];
        const int64_t at = own.first + right_of<Shape::planes>(entry);
        const int64_t x = at / channels, y = own.top + down_of(entry);
        const int32_t channel = (int32_t)(at % channels);
        const uint128 total =
            sum_window<sample>(repair.src, repair.filter, x, y, channel, lane % lanes, lanes);

        if (lane % lanes == 0 && i < own.count)
            row_of<sample>(repair.dst, y)[at] =
                (sample)exact_round(total, repair.filter.x().maxval);
    }
    __syncwarp();
}

template <class Shape>
__device__ __forceinline__ void empty_queue(const int8_queue &own, const int8_list &to)
{
    list_queue<Shape>(own, to);
}

template <class Shape>
__device__ __forceinline__ void empty_queue(const int8_queue &own, const int8_repair &repair)
{
    repair_queue<Shape>(own, repair);
}

/* Puts a step's totals, selected by the bits of `which`, into the queue, and empties it when fewer
 * than 32 places are left. */
template <class Shape, class To>
__device__ __forceinline__ void push_unresolved(int8_queue &own, uint32_t which, int step,
                                                const To &to, int lane)
{
    uint32_t lanes;

    while ((lanes = __ballot_sync(0xffffffff, which != 0)) != 0) {
        const uint32_t entry =
            (uint32_t)(512 * step + 32 * (__ffs((int)which) - 1) + lane); /* if there is one */
        const bool inside =
            which && right_of<Shape::planes>(entry) < own.samples && down_of(entry) < own.rows;

        lanes = __ballot_sync(0xffffffff, inside);
        if (inside)
            own.queue[own.count + __popc(lanes & ((1u << lane) - 1))] = entry;
        own.count += __popc(lanes);
        which &= which - 1;
        if (own.count > INT8_QUEUE - 32) {
            empty_queue<Shape>(own, to);
            own.count = 0;
        }
    }
}

/* Computes what is marked in `steps` steps. Not inlined, like repair_queue(). */
template <class Shape>
__device__ __noinline__ void repair_marked(int8_queue own, const int8_repair &repair, int steps)
{
    const int lane = (int)threadIdx.x % 32;

    for (int step = 0; step < steps; step++)
        push_unresolved<Shape>(own, own.marks[32 * step + lane], step, repair, lane);
    if (own.count > 0)
        repair_queue<Shape>(own, repair);
}

/* True if the upper 16 bits of any fraction are so low that its sample may be unresolved. */
template <class Shape>
__device__ __forceinline__ bool any_low(const uint32_t (&t)[Shape::tiles][4], uint32_t threshold)
{
    constexpr uint32_t fractions = Shape::bytes == 1 ? 0x6521 : 0x5410;
    uint32_t lowest = 0xffffffff;

#pragma unroll
    for (int tile = 0; tile < Shape::tiles; tile++)
#pragma unroll
        for (int i = 0; i < 4; i += 2)
            lowest = __vminu2(lowest, __byte_perm(t[tile][i], t[tile][i + 1], fractions));
    return min(lowest & 0xffff, lowest >> 16) <= threshold >> 16;
}

/* Marks or queues a step's unresolved samples. */
template <class Shape, bool IN_PLACE>
__device__ __forceinline__ void queue_unresolved(int8_queue &own, const int8_plan &plan,
                                                 const uint32_t (&t)[Shape::tiles][4], int step,
                                                 const int8_list &list, int lane)
{
    uint32_t which = 0;

    if (!__any_sync(0xffffffff, any_low<Shape>(t, plan.unresolved)))
        return;
#pragma unroll
    for (int i = 0; i < 4 * Shape::tiles; i++)
        which |= (t[i / 4][i % 4] << (8 * Shape::bytes) < plan.unresolved ? 1u : 0u) << i;
    if (IN_PLACE)
        own.marks[32 * step + lane] = (uint16_t)which;
    else
        push_unresolved<Shape>(own, which, step, list, lane);
}

#endif
