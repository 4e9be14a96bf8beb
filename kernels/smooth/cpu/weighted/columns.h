/* SPDX-License-Identifier: MIT */
/* The second pass, down the columns: sums, quotients, their test, and pixels, for one kind of REAL.
 * For weighted/reals.h only.
 *
 * An estimate is a number of grey levels with FRACTION bits of fraction, as the lower bits of an
 * integer: a float is multiplied by 2^16 and converted; a double is one itself, when 2^20 has been
 * added. 1/2 and the bound are added too, so that the whole number is the result unless the
 * fraction is at most twice the bound. */

#define GROUP (VECTOR_BYTES == 64 ? 4 : 2) /* planes whose sums are in registers at a time */

/* Numbers for all lanes: how reals become estimates. */
struct OF_REALS(cut) {
    vector unit;  /* of an estimate, in a grey level */
    vector start; /* 1/2 and the bound */
    vector top;   /* the last estimate of maxval */
    lanes limit;  /* fractions below it are unresolved */
};

static struct OF_REALS(cut) OF_REALS(make_cut)(const struct weighted_rows *rows)
{
    const double unit = REAL_BYTES == 8 ? 1 : (LANE)1 << FRACTION;
    const double offset = REAL_BYTES == 8 ? 0x1p20 : 0, last = (LANE)1 << FRACTION;

    return (struct OF_REALS(cut)){
        .unit = (vector){0} + (REAL)unit,
        .start = (vector){0} + (REAL)((0.5 + rows->bound) * unit + offset),
        .top = (vector){0} + (REAL)((rows->maxval + 1 - 1 / last) * unit + offset),
        .limit = (lanes){0} + (LANE)(2 * rows->bound * last) + 1,
    };
}

/* Adds the tap at distance k to sums of two rows, of `count` planes, `plane` apart. above, below:
 * the samples of the tap before, as each row is read once for both sums. */
INLINED void OF_REALS(add_tap)(void *const *rows, const REAL *restrict taps, int64_t halo,
                               int64_t k, int64_t x, int64_t plane, int count, vector *above,
                               vector *below, vector sums[2][MAX_PLANES])
{
    const REAL *inner_above = (const REAL *)rows[halo + 1 - k] + x;
    const REAL *inner_below = (const REAL *)rows[halo + k] + x;

    UNROLLED
    for (int i = 0; i < count; i++) {
        const vector next_above = at(inner_above + i * plane);
        const vector next_below = at(inner_below + i * plane);

        sums[0][i] += taps[k] * (above[i] + next_below);
        sums[1][i] += taps[k] * (next_above + below[i]);
        above[i] = next_above;
        below[i] = next_below;
    }
}

/* Sums of two rows from the outside in, CHUNK by CHUNK; the first may be less. */
INLINED void OF_REALS(sum_planes)(void *const *rows, const REAL *restrict taps, int64_t halo,
                                  int64_t x, int64_t plane, int count, vector sums[2][MAX_PLANES])
{
    vector above[MAX_PLANES], below[MAX_PLANES];
    int64_t k = halo;

    UNROLLED
    for (int i = 0; i < count; i++) {
        above[i] = at((const REAL *)rows[0] + x + i * plane);
        below[i] = at((const REAL *)rows[2 * halo + 1] + x + i * plane);
        sums[0][i] = sums[1][i] = (vector){0};
    }
    UNROLLED
    for (; k > (halo - 1) / CHUNK * CHUNK; k--)
        OF_REALS(add_tap)(rows, taps, halo, k, x, plane, count, above, below, sums);
    for (; k > 0; k -= CHUNK) {
        vector some[2][MAX_PLANES] = {0};

        UNROLLED
        for (int j = 0; j < CHUNK; j++)
            OF_REALS(add_tap)(rows, taps, halo, k - j, x, plane, count, above, below, some);
        UNROLLED
        for (int i = 0; i < count; i++) {
            sums[0][i] += some[0][i];
            sums[1][i] += some[1][i];
        }
    }
    UNROLLED
    for (int i = 0; i < count; i++) {
        sums[0][i] += taps[0] * above[i];
        sums[1][i] += taps[0] * below[i];
    }
}

/* The lanes of `value` where `where` is all ones, and of `other` elsewhere. */
INLINED vector OF_REALS(chosen)(truths where, vector value, vector other)
{
    return (vector)(((truths)value & where) | ((truths)other & ~where));
}

INLINED lanes OF_REALS(to_estimate)(vector raised)
{
#if REAL_BYTES == 8
    return (lanes)raised;
#else
    return (lanes) __builtin_convertvector(raised, truths);
#endif
}

/* A pixel's sums become its estimates, before they are integers. Returns where alpha's sum is 0:
 * what the colours' estimates are there is not unresolved, and its whole number is 0. */
INLINED truths OF_REALS(divide)(const vector *sums, int channels, const struct OF_REALS(cut) * cut,
                                vector *raised)
{
    const vector alpha = sums[channels - 1], most = alpha * cut->unit + cut->start;
    const truths none = (truths)(alpha == 0);
    const vector inverse = (vector)((truths)(cut->unit / alpha) & ~none);

    UNROLLED
    for (int c = 0; c < channels - 1; c++)
        raised[c] = sums[c] * inverse + cut->start;
    raised[channels - 1] = OF_REALS(chosen)((truths)(most < cut->top), most, cut->top);
    return none;
}

/* Negative where the estimate is unresolved. */
INLINED truths OF_REALS(tested)(lanes estimates, lanes limit)
{
    return (truths)((estimates & (((LANE)1 << FRACTION) - 1)) - limit);
}

/* Lists unresolved samples: of channel c of the pixels from x on, of which n are there. */
static __attribute__((noinline)) void OF_REALS(list)(lanes estimates, lanes limit, int64_t x,
                                                     int64_t n, int c, int channels,
                                                     struct unresolved *unresolved)
{
    for (uint32_t bits = OF_REALS(negative)(OF_REALS(tested)(estimates, limit)); bits != 0;
         bits &= bits - 1) {
        const int64_t pixel = x + __builtin_ctz(bits);

        if (pixel < n)
            unresolved->places[unresolved->count++] = (int32_t)(pixel * channels + c);
    }
}

/* The pixels of row `row` from x on. */
INLINED void OF_REALS(give)(const struct weighted_rows *rows, int row, int64_t x,
                            const vector *sums, int channels, int bits,
                            const struct OF_REALS(cut) * cut)
{
    const int bytes = channels * bits / 8;
    lanes estimates[MAX_PLANES], pixels = {0};
    vector raised[MAX_PLANES];
    const truths none = OF_REALS(divide)(sums, channels, cut, raised);
    truths unresolved = {0};

    UNROLLED
    for (int c = 0; c < channels; c++) {
        estimates[c] = OF_REALS(to_estimate)(raised[c]);
        unresolved |= OF_REALS(tested)(estimates[c], cut->limit);
        pixels |= OF_REALS(placed)(estimates[c], c, channels, bits);
    }
    if (__builtin_expect(OF_REALS(negative)(none) != 0, 0)) {
        const lanes own =
            OF_REALS(load_some)((const char *)rows->src[row] + x * bytes, bytes, rows->n - x);
        const LANE alpha = (((LANE)1 << bits) - 1) << OF_REALS(place)(channels - 1, channels, bits);

        pixels |= own & (lanes)none & ~alpha;
    }
    OF_REALS(store_some)((char *)rows->dst[row] + x * bytes, pixels, bytes, rows->n - x);
    if (__builtin_expect(OF_REALS(negative)(unresolved) != 0, 0))
        for (int c = 0; c < channels; c++)
            OF_REALS(list)
    (estimates[c], cut->limit, x, rows->n, c, channels, &rows->unresolved[row]);
}

INLINED void OF_REALS(filter_two_rows)(const struct weighted_rows *rows, int64_t halo, int channels,
                                       int bits)
{
    const struct OF_REALS(cut) cut = OF_REALS(make_cut)(rows);
    const int group = channels < GROUP ? channels : GROUP;
    const bool two = rows->two;

    for (int64_t x = 0; x < rows->n; x += WIDTH) {
        vector sums[2][MAX_PLANES];

        fetch(&rows->ahead, x * channels * bits / 8);
        UNROLLED
        for (int first = channels - group; first >= 0; first -= group) {
            vector some[2][MAX_PLANES];

            OF_REALS(sum_planes)
            (rows->sums, rows->taps, halo, x + first * rows->plane, rows->plane, group, some);
            UNROLLED
            for (int i = 0; i < group; i++) {
                sums[0][first + i] = some[0][i];
                sums[1][first + i] = some[1][i];
            }
        }
        OF_REALS(give)(rows, 0, x, sums[0], channels, bits, &cut);
        if (two)
            OF_REALS(give)(rows, 1, x, sums[1], channels, bits, &cut);
    }
}

/* A colour, or alpha for c = channels - 1, of the pixels of row `row` from x on, in pixels that are
 * no vectors' lanes. */
static void OF_REALS(give_channel)(const struct weighted_rows *rows, int row, int64_t x, int32_t c,
                                   const vector pair[2], const struct OF_REALS(cut) * cut)
{
    const int32_t channels = rows->channels;
    const bool alpha = c == channels - 1;
    vector raised[2];
    const truths none = OF_REALS(divide)(pair, 2, cut, raised);
    const lanes estimates = OF_REALS(to_estimate)(raised[alpha]);

    for (int64_t i = 0; i < WIDTH && x + i < rows->n; i++) {
        const int64_t place = (x + i) * channels + c;
        const bool own = !alpha && none[i];

        row_set(rows->dst[row], rows->sample_bytes, place,
                own ? row_get(rows->src[row], rows->sample_bytes, place)
                    : (uint32_t)(estimates[i] >> FRACTION & 0xffff));
    }
    OF_REALS(list)(estimates, cut->limit, x, rows->n, c, channels, &rows->unresolved[row]);
}

/* For any number of channels. */
static void OF_REALS(filter_any)(const struct weighted_rows *rows)
{
    const struct OF_REALS(cut) cut = OF_REALS(make_cut)(rows);
    const int32_t alpha = rows->channels - 1;

    for (int64_t x = 0; x < rows->n; x += WIDTH) {
        vector covers[2][MAX_PLANES], colours[2][MAX_PLANES];

        OF_REALS(sum_planes)
        (rows->sums, rows->taps, rows->halo, x + alpha * rows->plane, 0, 1, covers);
        for (int32_t c = 0; c <= alpha; c++) {
            OF_REALS(sum_planes)
            (rows->sums, rows->taps, rows->halo, x + c * rows->plane, 0, 1, colours);
            for (int row = 0; row <= rows->two; row++)
                OF_REALS(give_channel)
            (rows, row, x, c, (const vector[]){colours[row][0], covers[row][0]}, &cut);
        }
    }
}
