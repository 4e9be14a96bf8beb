/* SPDX-License-Identifier: MIT */
/* Computes sums along an axis. A thread computes R adjacent results along the axis, most often
 * GROUP or 2 GROUP. It sums AT_A_TIME of them at the same time, and loads most input values only
 * once for these. The terms number, rest and place are defined in pass.h.
 *
 * A line is the values along the axis; a node (scheme.h) is a sum of filtered inputs. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_SUMS_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_SUMS_CUH

#include "kernels/smooth/arrays/device/load.cuh"

/* R sums, each held in one double or, if WIDE, in two (double-double): value + rest. RESTS: the
 * values that are added have rests too. */
template <bool WIDE, int R, bool RESTS = WIDE> struct device_sums {
    double value[R], rest[WIDE ? R : 1];
    double begin = 0; /* an addend that each value[] includes; 0 unless WIDE */

    /* Sets all sums to 0. scale: if WIDE, the scale U of bounds.h, which keeps value[] on a grid.
     */
    __device__ __forceinline__ void clear(double scale)
    {
        begin = WIDE ? 1.5 * scale : 0;
#pragma unroll
        for (int r = 0; r < R; r++) {
            value[r] = begin;
            if (WIDE)
                rest[r] = 0;
        }
    }

    __device__ __forceinline__ real get(int r) const
    {
        return {WIDE ? value[r] - begin : value[r], WIDE ? rest[r] : 0, 0};
    }

    __device__ __forceinline__ void set(int r, const real &number)
    {
        value[r] = WIDE ? number.value + begin : number.value;
        if (WIDE)
            rest[r] = number.rest;
    }

    /* Adds the tap times a value to sum r. If WIDE, the tap is held in two doubles, and, if RESTS,
     * the value too. bounds.h has the rounding errors. */
    __device__ __forceinline__ void add(int r, double tap, double tap_rest, const real &number)
    {
        const double sum = fma(tap, number.value, value[r]);

        if constexpr (WIDE) {
            const double lost = fma(tap, number.value, value[r] - sum);

            rest[r] = fma(tap_rest, number.value, rest[r] + lost);
            if (RESTS)
                rest[r] = fma(tap, number.rest, rest[r]);
        }
        value[r] = sum;
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
 * them. */
HOST_DEVICE int axis_reads(int halo, int sums)
{
    return 2 * halo + sums;
}

#define STEPS 4 /* how many steps of sum_inwards() an iteration of its loop makes */

/* Returns the halo with which sum_inwards() filters: `halo`, rounded up to whole iterations. The
 * taps beyond `halo` are 0. */
HOST_DEVICE int whole_steps(int64_t halo)
{
    return (int)(halo + STEPS - 1) / STEPS * STEPS;
}

/* For each of R sums, adds the products of a tap and the two numbers at this distance from the
 * sum's centre, before[r] and after[r]. Unless WIDE, the two numbers are added before they are
 * multiplied. sign: -1 if taps.odd, else 1. */
template <bool WIDE, int R, bool RESTS>
__device__ __forceinline__ void add_pairs(device_sums<WIDE, R, RESTS> &sums,
                                          const device_taps &taps, double sign, int distance,
                                          const real (&before)[R], const real (&after)[R])
{
    const double tap = __ldg(&taps.taps[distance]);
    const double rest = WIDE ? __ldg(&taps.rests[distance]) : 0;

#pragma unroll
    for (int r = 0; r < R; r++)
        if constexpr (WIDE) {
            sums.add(r, tap, rest, after[r]);
            sums.add(r, sign * tap, sign * rest, before[r]);
        } else
            sums.add(r, tap, 0, real_of(fma(sign, before[r].value, after[r].value)));
}

/* Computes R adjacent sums. Sum r is the sum over k = -halo..halo of tap(k) number(load(r + k, 0)).
 * load(first, i) loads the value at position first + i, where i is below STEPS; number() converts a
 * loaded value to a struct real. If R is a multiple of STEPS, `first` is a multiple of STEPS too;
 * then load() can address the values of one `first` by constant offsets. Each sum begins with its
 * outermost numbers and goes inwards, so that partial sums stay small (bounds.h). One step adds the
 * two numbers at one distance from the centre of each sum: `before` and `after`. From step to step
 * these arrays move by one number. The move copies no data: STEPS steps are unrolled, and the
 * compiler renames registers instead. If AHEAD, numbers are loaded STEPS steps before they are
 * used. scale: see device_sums.clear(). */
template <bool AHEAD, bool WIDE, int R, bool RESTS, class Load, class Number>
__device__ __forceinline__ void sum_inwards(device_sums<WIDE, R, RESTS> &sums, double scale,
                                            device_taps taps, Load load, Number number)
{
    const int halo = whole_steps(taps.halo);
    const double sign = taps.odd ? -1 : 1;
    real before[R], after[R];
    decltype(load(0, 0)) next_before[STEPS], next_after[STEPS];

    const auto load_next = [&](int step, int i) {
        next_before[i] = load(R - halo + step, i);
        next_after[i] = load(halo - step - STEPS, STEPS - 1 - i);
    };

    sums.clear(scale);
#pragma unroll
    for (int r = 0; r < R; r++) {
        before[r] = number(load(r / STEPS * STEPS - halo, r % STEPS));
        after[r] = number(load(r / STEPS * STEPS + halo, r % STEPS));
    }
#pragma unroll
    for (int i = 0; AHEAD && i < STEPS; i++)
        if (halo > 0)
            load_next(0, i);
#pragma unroll 1
    for (int step = 0; step < halo; step += STEPS) {
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            add_pairs(sums, taps, sign, halo - step - i, before, after);
            if (!AHEAD)
                load_next(step, i);
#pragma unroll
            for (int r = 0; r < R - 1; r++) {
                before[r] = before[r + 1];
                after[R - 1 - r] = after[R - 2 - r];
            }
            before[R - 1] = number(next_before[i]);
            after[0] = number(next_after[i]);
            if (AHEAD && step + STEPS < halo)
                load_next(step + STEPS, i);
        }
    }
#pragma unroll
    for (int r = 0; r < R; r++)
        sums.add(r, __ldg(taps.taps), WIDE ? __ldg(taps.rests) : 0, before[r]);
}

/* Returns the sum of tap(k) read(k) over k = -halo..halo, added in the order of sum_inwards().
 * Skips taps of 0, so that a NaN or an infinity whose tap is 0 does not affect the sum. */
template <bool WIDE, class Read>
__device__ __forceinline__ real sum_carefully(double scale, const device_taps &taps, Read read)
{
    device_sums<WIDE, 1> sum;

    sum.clear(scale);
#pragma unroll 1
    for (int distance = taps.halo; distance > 0; distance--)
        if (taps.taps[distance] != 0) {
            const real before[1] = {read(-distance)}, after[1] = {read(distance)};

            add_pairs(sum, taps, taps.odd ? -1 : 1, distance, before, after);
        }
    if (taps.taps[0] != 0)
        sum.add(0, taps.taps[0], WIDE ? taps.rests[0] : 0, read(0));
    return sum.get(0);
}

/* Computes the same sums as sum_inwards(), but adds the products of each sum in order, from one end
 * of its window to the other. The halo is a template argument. */
template <int HALO, int R, class Load, class Number>
__device__ __forceinline__ void sum_short(device_sums<false, R> &sums,
                                          const double (&taps)[2 * MOST_SHORT + 1], Load load,
                                          Number number)
{
    constexpr int READS = 2 * HALO + R;
    /* Loads in flight: all of them, unless they would take too many registers. */
    constexpr int AHEAD = sizeof(load(0)) <= 4 ? READS : READS < 16 ? READS : 16;
    decltype(load(0)) numbers[READS];

    sums.clear(0);

#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        numbers[i] = load(i - HALO);
#pragma unroll
    for (int i = 0; i < READS; i++) {
        if (i + AHEAD < READS)
            numbers[i + AHEAD] = load(i + AHEAD - HALO);

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

/* --- Where the values along an axis are, and the sums of one input of a node. */

#define OUTSIDE INT64_MIN

static __device__ __noinline__ int64_t place_beyond(enum edge edge, int64_t i, int64_t length)
{
    return edge_index(edge, i, length);
}

/* Returns edge_index(edge, i, length), without a call if i is inside of the array, as it mostly
 * is. */
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

/* Stores a table for each edge rule in use, one table after another: the byte offsets of the values
 * from which the results place..place+rows-1 are computed. An offset is OUTSIDE where the edge rule
 * takes no sample of the array. Returns whether this thread has stored such an offset. */
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

/* Joins `own`, the measure of a line's numbers, to `measure`, unless these numbers are the weights
 * 0 and 1, which say nothing about the samples. */
template <int FROM>
__device__ __forceinline__ void join_measure(const device_line &line,
                                             const device_measure<FROM> &own,
                                             device_measure<FROM> &measure)
{
    if (!(line.drops && line.is_weight))
        measure.join(own);
}

/* Measures the samples of a line at `count` offsets, before they are summed. */
template <int FROM>
__device__ __forceinline__ void measure_line(const device_numbers &from, const device_line &line,
                                             const int64_t *offsets, int count,
                                             device_measure<FROM> &measure)
{
    device_measure<FROM> own;
    const auto read = [&](int i) {
        return offsets[i] == OUTSIDE
                   ? 0
                   : number_of_raw<true>(line,
                                         load_raw<FROM, true>(from, line, line.base + offsets[i]))
                         .value;
    };

    for (int i = 0; i < count; i++)
        own.add(read(i));
    own.leave_out_infinities(0, count, read);
    join_measure(line, own, measure);
}

/* Returns the scale U (bounds.h) of a node's sums in two doubles. peak: the peak of the samples
 * from which the sums are computed. Sums of the weights 0 and 1 have a scale of their own. */
__device__ __forceinline__ double scale_of(device_peak peak, double gain, bool drops, bool weighs)
{
    const uint32_t exponent = peak & 0x7ff00000u; /* bits of the peak's exponent */
    const double power = 8 * __hiloint2double((int)exponent, 0);

    if (drops && weighs)
        return 8 * gain;
    return power > LEAST_SCALE ? power * gain : (peak & ~NOT_PLAIN) > 0 ? LEAST_SCALE * gain : 0;
}

/* How many of R sums a thread computes at a time: sums in two doubles take more registers. */
template <bool WIDE, int R> constexpr int AT_A_TIME = WIDE &&R > 4 ? 4 : R;

/* Computes R sums for one input of a node, from the values of a line at these offsets, and calls
 * put(r, sum) for each. outside: some offsets may be OUTSIDE. Unless WIDE, adds the samples that it
 * reads to `measure`, if MEASURES. HALO: the axis' halo; 0: any. */
template <int FROM, bool WIDE, int R, int HALO, class Put>
__device__ __forceinline__ void
sum_input(double scale, const device_input &input, const device_axis &axis, const short_taps &taps,
          const device_numbers &from, const device_line &line, const int64_t *offsets, bool outside,
          device_measure<FROM> &measure, Put put)
{
    constexpr int S = AT_A_TIME<WIDE, R>;
    const char *const plane = line.base + (IS_SCRATCH<FROM> ? input.plane * from.plane_bytes : 0);

#pragma unroll
    for (int begin = 0; begin < R; begin += S) {
        const int64_t *const at = offsets + axis.halo + begin;
        device_sums<WIDE, S, WIDE && FROM != SAMPLE_F64> sums;
        device_measure<FROM> here;
        const auto raw = [&](int k) { return load_raw<FROM, WIDE>(from, line, plane + at[k]); };
        const auto measured = [&](const auto &loaded) {
            const real number = number_of_raw<WIDE>(line, loaded);

            if (MEASURES<FROM> && !WIDE)
                here.add(number.value);
            return number;
        };
        const auto careful = [&](int k) {
            if (at[k] != OUTSIDE)
                return measured(raw(k));
            return real{input.outside[line.is_weight], input.outside_rest[line.is_weight], 0};
        };

        if (!outside) {
            if constexpr (HALO > 0)
                sum_short_of<HALO>(input.set, sums, taps, raw, measured);
            else
                sum_inwards<sizeof(raw(0)) <= sizeof(float)>(
                    sums, scale, input.taps, [&](int first, int i) { return raw(first + i); },
                    measured);
        }
        if (outside || sums.has_nan()) {
#pragma unroll 1
            for (int r = 0; r < S; r++)
                put(begin + r,
                    sum_carefully<WIDE>(scale, input.taps, [&](int k) { return careful(r + k); }));
        } else
#pragma unroll
            for (int r = 0; r < S; r++)
                put(begin + r, sums.get(r));
        if (MEASURES<FROM> && !WIDE) {
            here.leave_out_infinities(-axis.halo, axis.halo + S, [&](int k) {
                return at[k] == OUTSIDE ? 0 : number_of_raw<WIDE>(line, raw(k)).value;
            });
            join_measure(line, here, measure);
        }
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
