/* SPDX-License-Identifier: MIT */
/* The functions of exact.h that run on the host only. `kinds` is a set of flags: whether a NaN,
 * +infinity or -infinity is among the products of samples and taps. A term is a product of one
 * filter for each axis. */
#include "kernels/smooth/arrays/exact.h"

/* Returns the value outside of the array. If the job has an outside_rest, the value is a 64-bit
 * integer. Its magnitude, |outside + outside_rest|, is computed modulo 2^64, since |outside| alone
 * may be 2^64. */
static struct exact_number outside_of(const struct array_job *job)
{
    const struct sample_format format = sample_format(SAMPLE_F64);
    const double sign = job->outside < 0 ? -1 : 1;
    struct exact_number number;
    uint64_t bits;

    memcpy(&bits, &job->outside, sizeof bits);
    number = exact_float(bits, &format);
    if (job->outside_rest != 0) {
        number.significand =
            2 * (uint64_t)(fabs(job->outside) / 2) + (uint64_t)(int64_t)(sign * job->outside_rest);
        number.exponent = 0;
    }
    return number;
}

struct exact_common exact_prepare(const struct array_job *job)
{
    struct exact_common common = {.from = sample_format(job->src.type),
                                  .to = sample_format(job->dst.type),
                                  .outside = outside_of(job)};
    const struct sample_format *from = &common.from;
    struct exact_number *const outside = &common.outside;
    /* All finite samples are integers times 2^least, and at most 2^most in magnitude. */
    const int least = from->is_float ? from->least_exponent : 0;
    int64_t most = from->is_float ? least + (1 << from->exponent_bits) + from->significant_bits
                                  : from->significant_bits;

    common.unit = outside->significand != 0 && outside->exponent < least ? -1074 : least;
    /* wide_add() requires that a number's exponent is not below the sum's unit. The exponent of an
     * `outside` of 0 may be below that unit. */
    if (outside->significand == 0)
        outside->exponent = common.unit;
    else
        most = outside->exponent + 64 > most ? outside->exponent + 64 : most;
    most -= common.unit;
    if (job->weighing == ARRAY_BY_ALPHA) { /* products of samples and alpha */
        most *= 2;
        common.unit *= 2;
    }
    common.words = (int)((most + job->filtered * (ARRAY_WEIGHT_BITS + 12) + 8) / 64) + 4;
    return common;
}

/* Adds a tap to the one of the same sign that leads to the same sample. A sum of taps has fewer
 * than 128 bits, and its products fit exact_common.words, which has room for a sum over the window.
 */
static void fold_tap(const struct exact_tap *tap, struct exact_folded *folded)
{
    int i = 0;

    while (i < folded->count && (folded->tap[i].from != tap->from ||
                                 folded->tap[i].weight.negative != tap->weight.negative))
        i++;
    if (i == folded->count) {
        folded->count++;
        folded->tap[i] = *tap;
        return;
    }
    folded->tap[i].weight.magnitude =
        u128_add(folded->tap[i].weight.magnitude, tap->weight.magnitude);
}

/* Folds the taps along filtered axis i, if the axis is short and there are more taps than folded
 * ones. */
static void fold_axis(const struct array_job *job, const struct exact_common *common,
                      const struct array_taps *taps, int i, const int64_t *place,
                      struct exact_folded *folded)
{
    const int64_t length = job->shape[job->axis[i]];
    struct exact_tap tap;

    folded->count = -1;
    if (length > EXACT_SHORT || 2 * job->halo[i] + 1 <= 2 * (length + 1))
        return;
    folded->count = 0;
    for (int64_t n = 0; n <= 2 * job->halo[i]; n++)
        if (exact_find_tap(job, common, taps, i, place, n, &tap))
            fold_tap(&tap, folded);
}

/* Sums one part (samples, samples times weights, or weights) of a term over a window into
 * memory->term. Returns the kinds of the products with the taps (enum exact_kind). */
static unsigned sum_part(const struct array_job *job, struct exact_common *common,
                         enum exact_part part, int term, const int64_t *place,
                         struct exact_memory *memory)
{
    struct exact_folded folded[ARRAY_FILTERED];
    unsigned kinds = EXACT_FINITE;
    bool has_taps = true; /* each axis has a tap other than 0 */

    common->part = part;
    wide_clear(memory->term, common->words);
    for (int i = 0; i < job->filtered; i++) {
        fold_axis(job, common, job->taps + term * job->filtered, i, place, &folded[i]);
        has_taps = has_taps && folded[i].count != 0;
    }
    common->folded = folded;
    if (has_taps)
        kinds = exact_add_rows(job, common, term, place, 0, 1, memory);
    common->folded = NULL;
    return kinds;
}

uint64_t array_exact(const struct array_job *job, int result, const int64_t *place)
{
    const int end = job->combination == ARRAY_APART ? result + 1 : job->terms;
    struct exact_common common = exact_prepare(job);
    uint64_t words[EXACT_ARRAYS * EXACT_MOST_WORDS];
    struct exact_memory memory = exact_memory_at(words, common.words);
    unsigned kinds = EXACT_FINITE;

    wide_clear(memory.total, common.words);
    wide_clear(memory.squares, 2 * common.words);
    if (exact_is_mean(job, place)) {
        common.to_alpha = exact_to_alpha(job, place);
        kinds = sum_part(job, &common, EXACT_WEIGHTS, 0, place, &memory);
        wide_add_multiple(memory.total, common.words, memory.term, common.words, 1, 0, false);
        return exact_round_parts(job, &common, place, kinds,
                                 sum_part(job, &common, EXACT_WEIGHED, 0, place, &memory), &memory);
    }
    for (int t = result; t < end; t++) {
        kinds |= exact_kinds_of(job, sum_part(job, &common, EXACT_SAMPLES, t, place, &memory));
        exact_add_term(job, &common, &memory);
    }
    return exact_round_result(job, &common, kinds, &memory);
}
