/* SPDX-License-Identifier: MIT */
/* Sums along an axis. A thread computes GROUP adjacent results along the axis, or 2 GROUP, and
 * reads each input value once for all of them. The terms number, rest and place are defined in
 * pass.h.
 *
 * A line is the values along the axis; a node (scheme.h) is a sum of filtered inputs. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_SUMS_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_SUMS_CUH

#include "kernels/smooth/arrays/device/load.cuh"

/* R sums. Each is one double or, if WIDE, the sum of two doubles (double-double). */
template <bool WIDE, int R> struct device_sums {
    double value[R], rest[WIDE ? R : 1];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int r = 0; r < R; r++) {
            value[r] = 0;
            if (WIDE)
                rest[r] = 0;
        }
    }

    __device__ __forceinline__ real get(int r) const
    {
        return {value[r], WIDE ? rest[r] : 0, 0};
    }

    __device__ __forceinline__ void set(int r, const real &number)
    {
        value[r] = number.value;
        if (WIDE)
            rest[r] = number.rest;
    }

    /* Adds the tap times a value to sum r. If WIDE, tap and value are sums of two doubles. bounds.h
     * has the rounding errors. */
    __device__ __forceinline__ void add(int r, double tap, double tap_rest, const real &number)
    {
        if constexpr (WIDE) {
            const double product = __dmul_rn(tap, number.value);
            const double lower = fma(tap, number.rest,
                                     fma(tap_rest, number.value, fma(tap, number.value, -product)));
            double lost;

            value[r] = sum_of(value[r], product, &lost);
            rest[r] += lost + lower;
        } else
            value[r] = fma(tap, number.value, value[r]);
    }

    __device__ __forceinline__ bool has_nan() const
    {
        bool found = false;

#pragma unroll
        for (int r = 0; r < R; r++)
            found |= value[r] != value[r];
        return found;
    }
};

/* Returns how many values are read for `sums` adjacent sums: all values that have a tap in any of
 * them. Rounds up to whole steps of the loops; a step is the lesser of GROUP and `sums`. */
HOST_DEVICE int axis_reads(int halo, int sums)
{
    const int step = sums < GROUP ? sums : GROUP;

    return (2 * halo + sums + step - 1) / step * step;
}

/* Computes R adjacent sums. Sum r is the sum over i of tap (i - r) times number(load(i)). So tap[]
 * is shifted by one for each i. That moves no data: the loop is unrolled, and the compiler renames
 * registers instead. Zeros beside the taps let the loop add each value to all sums without a test.
 * That is wrong for NaN and infinities, since 0 times these is NaN. R values are loaded at a time;
 * if AHEAD, one iteration before their use. */
template <bool AHEAD, bool WIDE, int R, class Load, class Number>
__device__ __forceinline__ void sum_with_zeros(device_sums<WIDE, R> &sums, const double *taps,
                                               const double *rests, int halo, Load load,
                                               Number number)
{
    const int reads = axis_reads(halo, R);
    double tap[R] = {}, rest[R] = {};
    decltype(load(0)) next[R];

    sums.clear();
    if (AHEAD)
#pragma unroll
        for (int i = 0; i < R; i++)
            next[i] = load(i);
    for (int first = 0; first < reads; first += R) {
        decltype(load(0)) now[R];

#pragma unroll
        for (int i = 0; i < R; i++)
            now[i] = AHEAD ? next[i] : load(first + i);
        if (AHEAD && first + R < reads)
#pragma unroll
            for (int i = 0; i < R; i++)
                next[i] = load(first + R + i);
#pragma unroll
        for (int i = 0; i < R; i++) {
            const real own = number(now[i]);

#pragma unroll
            for (int r = R - 1; r > 0; r--) {
                tap[r] = tap[r - 1];
                rest[r] = rest[r - 1];
            }
            tap[0] = __ldg(&taps[first + i]);
            rest[0] = WIDE ? __ldg(&rests[first + i]) : 0;
#pragma unroll
            for (int r = 0; r < R; r++)
                sums.add(r, tap[r], rest[r], own);
        }
    }
}

/* Computes the same sums as sum_with_zeros(), without zeros beside the taps. The halo is a template
 * argument. */
template <int HALO, int R, class Load, class Number>
__device__ __forceinline__ void sum_short(device_sums<false, R> &sums,
                                          const double (&taps)[2 * MOST_SHORT + 1], Load load,
                                          Number number)
{
    constexpr int READS = 2 * HALO + R;
    /* Loads in flight: all of them, unless they would take too many registers. */
    constexpr int AHEAD = sizeof(load(0)) <= 4 ? READS : READS < 16 ? READS : 16;
    decltype(load(0)) numbers[READS];

    sums.clear();

#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        numbers[i] = load(i);
#pragma unroll
    for (int i = 0; i < READS; i++) {
        if (i + AHEAD < READS)
            numbers[i + AHEAD] = load(i + AHEAD);

        const real own = number(numbers[i]);

#pragma unroll
        for (int r = 0; r < R; r++)
            if (i >= r && i - r <= 2 * HALO)
                sums.add(r, taps[i - r], 0, own);
    }
}

/* Calls sum_short() with the taps of set number `set`. Taps are operands of instructions at
 * constant addresses, so each set has its own copy of the loop. */
template <int HALO, int SET = 0, int R, class Load, class Number>
__device__ __forceinline__ void sum_short_of(int set, device_sums<false, R> &sums,
                                             const short_taps &taps, Load load, Number number)
{
    if (set == SET)
        sum_short<HALO>(sums, taps.of_set[SET], load, number);
    else if constexpr (SET + 1 < SHORT_SETS)
        sum_short_of<HALO, SET + 1>(set, sums, taps, load, number);
}

/* Computes the same sums as sum_with_zeros(), but skips taps of 0. So a NaN or an infinity in the
 * input affects only the sums whose windows contain it. */
template <bool WIDE, int R, class Read>
__device__ __forceinline__ void sum_without_zeros(device_sums<WIDE, R> &sums, const double *taps,
                                                  const double *rests, int halo, Read read)
{
    sums.clear();
#pragma unroll 1
    for (int at = 0; at < 2 * halo + R; at++) {
        const real number = read(at);

#pragma unroll
        for (int r = 0; r < R; r++)
            if (at - r >= 0 && at - r <= 2 * halo && taps[at - r] != 0)
                sums.add(r, taps[at - r], WIDE ? rests[at - r] : 0, number);
    }
}

/* --- Offsets of the values that are read along an axis. */

#define OUTSIDE INT64_MIN

static __device__ __noinline__ int64_t place_beyond(enum edge edge, int64_t i, int64_t length)
{
    return edge_index(edge, i, length);
}

/* Returns edge_index(). Most indices are inside the array and need no call. */
__device__ __forceinline__ int64_t place_at(enum edge edge, int64_t i, int64_t length)
{
    return (uint64_t)i < (uint64_t)length ? i : place_beyond(edge, i, length);
}

/* Returns how many bits are set. device_axis.edges has a bit for each edge rule in use, and each of
 * these rules has its own table of offsets in shared memory. */
HOST_DEVICE int count_bits(unsigned bits)
{
    int count = 0;

    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Stores in offsets[rule][i] the byte offset of each value from which the results
 * place..place+rows-1 are computed. An offset is OUTSIDE where the edge rule takes no sample of the
 * array. Returns whether this thread has stored such an offset. */
__device__ __forceinline__ bool set_offsets(const device_axis &axis, int64_t place, int rows,
                                            int thread, int threads, int64_t *offsets)
{
    const int reads = axis_reads(axis.halo, rows);
    bool outside = false;

    for (unsigned left = axis.edges; left; left &= left - 1, offsets += reads) {
        const enum edge edge = (enum edge)(__ffs((int)left) - 1);

        for (int i = thread; i < reads; i += threads) {
            const int64_t index = place_at(edge, axis.first + place + i - axis.halo, axis.length);

            offsets[i] = index < 0 ? OUTSIDE : index * axis.from;
            outside = outside || index < 0;
        }
    }
    return outside;
}

/* Returns the table of offsets of an edge rule. */
__device__ __forceinline__ const int64_t *offsets_of(const device_axis &axis, enum edge edge,
                                                     int rows, const int64_t *offsets)
{
    return offsets + __popc(axis.edges & ((1u << edge) - 1)) * axis_reads(axis.halo, rows);
}

/* How many of R sums a thread computes at a time: sums of two doubles take more registers. */
template <bool WIDE, int R> constexpr int AT_A_TIME = WIDE &&R > 4 ? 4 : R;

/* Computes R sums for one input of a node, from the values of a line at these offsets, and calls
 * put(r, sum) for each. outside: some offsets may be OUTSIDE. Adds the samples that it reads to
 * `measure`. HALO: the axis' halo; 0: any. */
template <int FROM, bool WIDE, int R, int HALO, class Put>
__device__ __forceinline__ void sum_input(const device_input &input, const device_axis &axis,
                                          const short_taps &taps, const device_numbers &from,
                                          const device_line &line, const int64_t *offsets,
                                          bool outside, device_measure<FROM> &measure, Put put)
{
    constexpr int S = AT_A_TIME<WIDE, R>;
    const char *const plane = line.base + (IS_SCRATCH<FROM> ? input.plane * from.plane_bytes : 0);

#pragma unroll
    for (int begin = 0; begin < R; begin += S) {
        const int64_t *const at = offsets + begin;
        device_sums<WIDE, S> sums;
        device_measure<FROM> here;
        const auto careful = [&](int k) {
            return at[k] == OUTSIDE
                       ? real{input.outside[line.is_weight], input.outside_rest[line.is_weight], 0}
                       : load_number<FROM, WIDE>(from, line, plane + at[k]);
        };

        const auto raw = [&](int k) { return load_raw<FROM, WIDE>(from, line, plane + at[k]); };
        const auto measured = [&](const auto &loaded) {
            const real number = number_of_raw<WIDE>(line, loaded);

            if (MEASURES<FROM>)
                here.add(number.value);
            return number;
        };

        if (!outside) {
            if constexpr (HALO > 0)
                sum_short_of<HALO>(input.set, sums, taps, raw, measured);
            else
                sum_with_zeros<!WIDE>(sums, input.taps, input.rests, axis.halo, raw, measured);
        }
        if (outside || sums.has_nan()) {
            sum_without_zeros(sums, input.taps, input.rests, axis.halo, careful);
            if (MEASURES<FROM>) {
#pragma unroll 1
                for (int k = 0; k < axis_reads(axis.halo, S); k++)
                    here.add(at[k] == OUTSIDE ? 0 : careful(k).value);
            }
        }
        if (MEASURES<FROM>) {
            here.leave_out_infinities(axis_reads(axis.halo, S), [&](int k) {
                return at[k] == OUTSIDE ? 0 : careful(k).value;
            });
            /* Weights of 0 and 1 say nothing about the samples. */
            if (!(line.drops && line.is_weight))
                measure.join(here);
        }
#pragma unroll
        for (int r = 0; r < S; r++)
            put(begin + r, sums.get(r));
    }
}

/* Returns a sum plus the value at `there`, whose lower double is at there + rest. */
template <bool WIDE>
__device__ __forceinline__ real sum_with(const double *there, int64_t rest, const real &sum)
{
    return combine_add({there[0], WIDE ? there[rest] : 0, 0}, sum, false, WIDE);
}

/* Stores a sum at `to`, and its lower double at to + rest. */
template <bool WIDE>
__device__ __forceinline__ void put_sum(double *to, int64_t rest, const real &sum)
{
    to[0] = sum.value;
    if (WIDE)
        to[rest] = sum.rest;
}

#endif
