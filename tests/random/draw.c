/* SPDX-License-Identifier: MIT */
#include "tests/random/fill.h"
#include "tests/random/request.h"
#include "tests/unit/splitmix.h"

#include "src/lib/smoothimg.h"

#include <math.h>
#include <string.h>

uint64_t source_next(struct source *source)
{
    uint64_t number = 0;
    size_t count = source->count < 8 ? source->count : 8;

    if (!source->bytes)
        return splitmix(&source->state);
    memcpy(&number, source->bytes, count);
    source->bytes += count;
    source->count -= count;
    return number;
}

/* Returns a number from 0 to below - 1. If `below` is at most 256, takes only one byte of a
 * fuzzer's input, so that a changed byte changes little of the request. */
int64_t source_below(struct source *source, int64_t below)
{
    if (source->bytes && below <= 256 && below > 0) {
        const int64_t number = source->count > 0 ? *source->bytes : 0;

        source->bytes += source->count > 0;
        source->count -= source->count > 0;
        return number % below;
    }
    return below > 0 ? (int64_t)(source_next(source) % (uint64_t)below) : 0;
}

double source_real(struct source *source, double least, double most)
{
    return least + (most - least) * (double)(source_next(source) >> 11) * 0x1p-53;
}

static bool one_in(struct source *source, int64_t many)
{
    /* False after the end of a fuzzer's bytes, since all further numbers are 0. */
    return source_below(source, many) == many - 1;
}

/* What each engine (implementation in the library) computes, and the sizes of the parts into which
 * it cuts an image: the widths are along[], in samples, the heights are down[], in rows; 0 is an
 * unused entry. The hint for an engine is the first one whose `engine` is a prefix of the engine's
 * name. */
static const struct hint {
    const char *engine;
    int64_t along[6], down[4];
    int64_t least, most; /* the least and the greatest radius; 0, 0: any */
    bool is_even;        /* both axes must have the same radius and sigma */
    /* Type: an enum smoothimg_type, INTEGERS or ANY. Missing samples: an enum smoothimg_missing or
     * ANY. */
    int64_t type, missing;
} hints[] = {
#define ANY TYPES
#define INTEGERS (TYPES + 1) /* uint8 and uint16 */
    {"cpu:u8", {64, 256, 512, 768, 1024, 1536}, {128}, 0, 0, false, SMOOTHIMG_U8, 0},
    {"cpu:arrays", {32, 64, 128, 2048}, {8, 32}, 0, 0, false, ANY, ANY},
    {"cpu:cosines", {8192, 64}, {8192, 64}, 20, 250, false, INTEGERS, 0},
    {"cpu", {64, 256, 1024}, {16}, 0, 0, false, ANY, ANY},
    {"arrays", {32, 64, 128, 512}, {16, 32}, 0, 0, false, ANY, ANY},
    {"naive", {32}, {8}, 0, 0, false, INTEGERS, ANY},
    {"coalesced", {32}, {8}, 0, 0, false, INTEGERS, ANY},
    {"separable", {32, 128}, {8}, 0, 0, false, INTEGERS, ANY},
    {"tiled", {32}, {8}, 0, 0, false, INTEGERS, ANY},
    {"shared", {128}, {8}, 0, 0, false, INTEGERS, ANY},
    {"fused:window", {960, 1920}, {32}, 1, 2, true, INTEGERS, 0},
    {"fused:int8", {192, 256}, {32, 96}, 1, 64, false, INTEGERS, 0},
    {"fused:arrays", {32, 64, 112, 128}, {16, 32, 64}, 0, 0, false, ANY, ANY},
    {"fused", {32, 64, 192, 480}, {32, 96}, 0, 0, false, ANY, ANY},
    /* The next three variants are wrong on purpose (tests/variants/broken), for images with alpha.
     */
    {"shortsighted", {64}, {16}, 0, 0, false, INTEGERS, SMOOTHIMG_ALPHA},
    {"descending", {64}, {16}, 0, 0, false, INTEGERS, SMOOTHIMG_ALPHA},
    {"untested", {64}, {16}, 0, 0, false, INTEGERS, SMOOTHIMG_ALPHA},
    {"vector", {32, 64, 128, 512}, {32, 64, 128, 512}, 0, 0, false, ANY, ANY},
    {"", {16, 32, 64, 256, 512}, {16, 32, 64}, 0, 0, false, ANY, ANY},
};

static const struct hint *hint_of(const char *engine)
{
    const struct hint *hint = hints;

    while (strncmp(hint->engine, engine, strlen(hint->engine)) != 0)
        hint++;
    return hint;
}

static int64_t near_cut(struct source *source, const char *engine, bool along)
{
    const struct hint *row = hint_of(engine);
    int64_t part = 0;

    while (part == 0)
        part = along ? row->along[source_below(source, 6)] : row->down[source_below(source, 4)];
    return part * (1 + source_below(source, 3)) + source_below(source, 3) - 1;
}

static int64_t extent_of(struct source *source)
{
    static const int64_t extents[] = {5, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 20, 33, 40, 65, 70, 130};

    return one_in(source, 200) ? 0
           : one_in(source, 8) ? 1 + source_below(source, 300)
                               : extents[source_below(source, 17)];
}

static int64_t fits(int64_t extent, int64_t samples, int64_t most)
{
    const int64_t room = most / (samples > 0 ? samples : 1);

    return extent < room ? extent : room > 0 ? room : 1;
}

/* Chooses at random the shape of an array of images: up to two axes of images, then rows, columns
 * and channels. The axes of images and of channels may be missing. Sets *down to the axis of
 * rows. */
static void draw_image_shape(struct source *source, const struct domain *domain,
                             struct test_request *request, int64_t *down)
{
    const bool has_channels = one_in(source, 2) || request->missing == SMOOTHIMG_ALPHA;
    const int64_t batches = one_in(source, 3) ? 1 + source_below(source, 2) : 0;
    const int64_t channels = one_in(source, 12)
                                 ? 16 + source_below(source, 2)
                                 : 1 + source_below(source, one_in(source, 6) ? 15 : 4);
    const bool at_cut = one_in(source, 3);
    int64_t samples = 1, along, rows;

    request->axes = batches + 2 + has_channels;
    *down = batches;
    if (has_channels)
        samples = request->shape[batches + 2] =
            request->missing == SMOOTHIMG_ALPHA && channels < 2 ? 2 : channels;
    along = at_cut && one_in(source, 2) ? near_cut(source, request->engine, true) / samples
                                        : extent_of(source);
    rows =
        at_cut && one_in(source, 2) ? near_cut(source, request->engine, false) : extent_of(source);
    samples *= request->shape[batches + 1] = fits(along + at_cut, samples, domain->samples);
    samples *= request->shape[batches] = fits(rows, samples, domain->samples);
    for (int64_t a = 0; a < batches; a++)
        samples *= request->shape[a] =
            fits(1 + source_below(source, one_in(source, 4) ? 40 : 4), samples, domain->samples);
}

static void draw_shape(struct source *source, const struct domain *domain,
                       struct test_request *request)
{
    int64_t samples = 1;

    request->axes = one_in(source, 60)  ? 0
                    : one_in(source, 2) ? 1 + source_below(source, AXES)
                                        : 2 + source_below(source, 2); /* 2 or 3, as images have */
    for (int64_t a = request->axes - 1; a >= 0; a--)
        samples *= request->shape[a] = fits(a == request->axes - 1 && one_in(source, 6)
                                                ? near_cut(source, request->engine, true)
                                                : extent_of(source),
                                            samples, domain->samples);
}

static int64_t draw_radius(struct source *source, int64_t most)
{
    static const int64_t radii[] = {1, 0, 2, 3, 4, 5, 7, 8, 12, 16, 20, 30, 33, 46, 64, 66};
    const int64_t radius = one_in(source, 30)
                               ? 70 + source_below(source, 200)
                               : radii[source_below(source, one_in(source, 3) ? 16 : 8)];

    return radius < most ? radius : most;
}

/* Returns a sigma, or 0, which stands for a third of the radius. With sigma 0.849... and radius 1
 * the weights are 1/4, 1/2 and 1/4. */
static double draw_sigma(struct source *source, int64_t radius)
{
    const double sigmas[] = {0,   1,    2,    0.8493218002880191, (double)radius / 8 + 0.05,
                             1e3, 1e-3, 1e300};

    return one_in(source, 2) ? source_real(source, 0.3, 3)
                             : sigmas[source_below(source, one_in(source, 6) ? 8 : 5)];
}

static void draw_axis(struct source *source, struct test_request *request, int64_t i,
                      int64_t radius, bool plain)
{
    request->radius[i] = radius == 0 ? -1 : radius;
    request->sigma[i] = radius >= 20 && one_in(source, 2) ? 0 : draw_sigma(source, radius);
    request->edge[i] = source_below(source, 5);
    if (!plain && one_in(source, 3)) {
        request->order[i] = 1 + source_below(source, 4);
        if (request->sigma[i] < 0.3)
            request->sigma[i] = radius > 0 ? 0 : 0.5;
        if (one_in(source, 2))
            request->scale[i] = one_in(source, 2) ? source_real(source, -16, 16) : 0.5;
        if (fabs(request->scale[i]) < 0x1p-20)
            request->scale[i] = 0;
    } else if (!plain && one_in(source, 8)) {
        request->scale[i] = -1;
    }
    if (request->sigma[i] >= 0.5 && request->sigma[i] < 3 && one_in(source, 5))
        request->radius[i] = 0; /* the library derives the radius from sigma */
}

static int64_t image_radius(struct source *source, const struct hint *hint, int64_t most)
{
    if (hint->most > 0 && one_in(source, 2))
        return hint->least + source_below(source, most - hint->least + 1);
    return draw_radius(source, most);
}

/* Chooses at random the filter of an image: often the same for both axes, sometimes none for one
 * axis. */
static void draw_image_filter(struct source *source, const struct domain *domain,
                              struct test_request *request, int64_t down)
{
    const struct hint *hint = hint_of(request->engine);
    const int64_t room = domain->products / (request_samples(request) + 1);
    const int64_t most = hint->most > 0 ? hint->most : one_in(source, 20) ? 1024 : room;
    const bool is_even = hint->is_even || one_in(source, 2);
    const bool skips = !hint->is_even && one_in(source, 5);
    const int64_t first = image_radius(source, hint, most);
    const int64_t second = is_even ? first : image_radius(source, hint, most);

    draw_axis(source, request, down, first, true);
    draw_axis(source, request, down + 1, second, true);
    if (is_even) {
        request->radius[down + 1] = request->radius[down];
        request->sigma[down + 1] = request->sigma[down];
    }
    request->edge[down + 1] = request->edge[down];
    if (skips) {
        const int64_t left = down + source_below(source, 2);

        request->radius[left] = 0;
        request->sigma[left] = 0;
    }
}

/* Copies the filter of an axis, mostly with the edge rule, from an earlier term, so that both terms
 * may need the same sums along this axis. Engines compute such sums only once. */
static void draw_alike(struct source *source, struct test_request *request, int64_t i, int64_t from)
{
    request->radius[i] = request->radius[from];
    request->sigma[i] = request->sigma[from];
    request->order[i] = request->order[from];
    request->scale[i] = request->scale[from];
    if (!one_in(source, 3))
        request->edge[i] = request->edge[from];
}

/* Draws the terms: those of a Laplacian, those of a gradient's magnitude, or terms of any kind. */
static void draw_terms(struct source *source, const struct domain *domain,
                       struct test_request *request)
{
    const int64_t axes = request->axes;
    const int64_t kind = source_below(source, 4); /* 2: a Laplacian, 3: a gradient */
    const bool alike = one_in(source, 2);
    /* If bit a is 1, terms may filter axis a. */
    int64_t chosen = source_below(source, 4) == 0 ? source_below(source, 32) : 31;

    request->terms = one_in(source, 3) ? source_below(source, TERMS) : 0;
    if (request->terms > 0)
        request->combination = kind == 2   ? SMOOTHIMG_ADD
                               : kind == 3 ? SMOOTHIMG_MAGNITUDE
                               : kind == 1 ? SMOOTHIMG_APART
                                           : source_below(source, 3);
    for (int64_t a = 0; a < axes; a++) {
        const int64_t most = domain->products / (3 * axes * request_samples(request) + 1);
        const int64_t radius = draw_radius(source, most < 1024 ? most : 1024);
        const int64_t edge = one_in(source, 2) ? SMOOTHIMG_CONSTANT : source_below(source, 5);

        for (int64_t t = 0; t <= request->terms && chosen >> a & 1; t++) {
            const int64_t i = t * axes + a;

            if (one_in(source, 10))
                continue; /* the term does not filter this axis */
            draw_axis(source, request, i, one_in(source, 10) ? draw_radius(source, 4) : radius,
                      kind >= 2 && a != t);
            if (alike && t > 0 && one_in(source, 2))
                draw_alike(source, request, i, source_below(source, t) * axes + a);
            if (kind >= 2) {
                request->edge[i] = edge;
                request->order[i] = a == t && request->sigma[i] < 250 ? 4 - kind : 0;
                request->scale[i] = request->order[i] > 0 ? request->scale[i] : 0;
            }
        }
    }
}

static void draw_outside(struct source *source, struct test_request *request)
{
    const double reals[] = {1, 7, -0.3, 1e10, 3e-320, 1.6e308, -1.6e308, 0x1p-1060, 65504, 1e38};
    const int64_t low = types[request->src_type].low;

    switch (source_below(source, 6)) {
    case 1:
        request->outside = source_real(source, -300, 300);
        break;
    case 2:
        request->outside = reals[source_below(source, 10)];
        break;
    case 3:
        request->outside_i64 = one_in(source, 3) && low < 0 ? low : (int64_t)source_next(source);
        break;
    case 4:
        request->outside_u64 = (int64_t)(source_next(source) | types[request->src_type].high);
        break;
    default:
        break;
    }
}

static void shuffle(struct source *source, int64_t *order, int64_t count)
{
    for (int64_t a = 0; a < count; a++)
        order[a] = a;
    for (int64_t a = count - 1; a > 0; a--) {
        const int64_t other = source_below(source, a + 1), kept = order[a];

        order[a] = order[other];
        order[other] = kept;
    }
}

/* Makes rows begin at multiples of 16 bytes, as the fast engines of a device require. */
static void pad_rows(const struct test_request *request, bool is_src, int64_t bytes, int64_t down,
                     struct lie *lie)
{
    for (int64_t a = down + 1; a < request->axes; a++)
        bytes *= is_src ? request->shape[a] : request_extent(request, (int)a);
    lie->gap[down] = (16 - bytes % 16) % 16;
    lie->offset = 0;
}

/* Chooses at random how an array lies in memory. `down` is the axis of an image's rows, or -1 if
 * the array is no image. */
static void draw_lie(struct source *source, const struct test_request *request, bool is_src,
                     int64_t down, struct lie *lie)
{
    const int64_t bytes = types[is_src ? request->src_type : request->dst_type].bytes;
    const int64_t unit = request->device == ON_DEVICE || !one_in(source, 5) ? bytes : 1;

    lie->behind = source_below(source, 2);
    lie->offset = one_in(source, 3) ? unit * source_below(source, 17) : 0;
    if (one_in(source, 3) && request->device != ON_DEVICE)
        lie->fence = 1 + source_below(source, 2);
    lie->far = lie->fence > 0 && one_in(source, 20);
    if (down >= 0 && (request->device == OF_HOST ? one_in(source, 8) : !one_in(source, 4))) {
        pad_rows(request, is_src, bytes, down, lie);
        return;
    }
    if (one_in(source, 2))
        return;
    if (one_in(source, 4))
        shuffle(source, lie->order, request->axes);
    for (int64_t a = 0; a < request->axes; a++) {
        lie->gap[a] = one_in(source, 5) ? unit * source_below(source, 10) : 0;
        lie->back[a] = one_in(source, 7);
        lie->same[a] = is_src && one_in(source, 40);
    }
}

static void draw_part(struct source *source, struct test_request *request)
{
    for (int64_t a = 0; a < request->axes; a++) {
        if (one_in(source, 2)) {
            request->first[a] = source_below(source, request->shape[a] + 1);
            request->left_out[a] = source_below(source, request->shape[a] - request->first[a] + 1);
        }
        request->pieces[a] = one_in(source, 4) ? 1 + source_below(source, 3) : 0;
    }
}

/* Draws maxvals, sometimes two different ones. Some engines refuse a maxval of dst that is lower
 * than the maxval of src. */
static void draw_maxvals(struct source *source, struct test_request *request)
{
    const int64_t to = (int64_t)types[request->dst_type].high;

    if (request->src_type > SMOOTHIMG_U16 || request->dst_type > SMOOTHIMG_U16 ||
        !one_in(source, 3))
        return;
    request->src_maxval = 1 + source_below(source, (int64_t)types[request->src_type].high);
    request->dst_maxval = request->src_maxval;
    if (request->src_maxval > to || one_in(source, 4))
        request->dst_maxval =
            request->src_maxval < to && !one_in(source, 4)
                ? request->src_maxval + source_below(source, to - request->src_maxval + 1)
                : 1 + source_below(source, to);
}

static void draw_types(struct source *source, struct test_request *request, bool image)
{
    const struct hint *hint = hint_of(request->engine);

    request->src_type = !image || hint->type == ANY
                            ? source_below(source, image || one_in(source, 2) ? 3 : TYPES)
                        : hint->type == INTEGERS ? SMOOTHIMG_U8 + source_below(source, 2)
                                                 : hint->type;
    request->dst_type =
        image || one_in(source, 3) ? request->src_type : source_below(source, TYPES);
    draw_maxvals(source, request);
    if (image && request->src_type <= SMOOTHIMG_U16 &&
        (hint->missing == SMOOTHIMG_ALPHA || (hint->missing == ANY && one_in(source, 4))))
        request->missing = SMOOTHIMG_ALPHA;
    if (image && request->src_type == SMOOTHIMG_F32 && hint->missing == ANY && one_in(source, 3))
        request->missing = one_in(source, 4) ? SMOOTHIMG_ALPHA : SMOOTHIMG_NAN;
}

/* Sometimes changes a filter of a single term: the filter then only smooths, and weights samples by
 * alpha or leaves out NaN. */
static void draw_weights(struct source *source, struct test_request *request)
{
    const int64_t last = request->axes - 1;

    if (request->terms > 0 || request->combination == SMOOTHIMG_MAGNITUDE || !one_in(source, 3))
        return;
    request->missing = one_in(source, 2) ? SMOOTHIMG_ALPHA : SMOOTHIMG_NAN;
    for (int64_t a = 0; a < request->axes; a++) {
        request->order[a] = 0;
        request->scale[a] = 0;
    }
    if (request->missing == SMOOTHIMG_ALPHA && last >= 0)
        request->radius[last] = request->edge[last] = 0, request->sigma[last] = 0;
}

static void draw_filter(struct source *source, const struct domain *domain,
                        struct test_request *request, int64_t *down)
{
    const bool is_image = strchr(request->engine, ':') ||
                          (strcmp(request->engine, "arrays") != 0 && !one_in(source, 3));

    draw_types(source, request, is_image);
    if (is_image) {
        draw_image_shape(source, domain, request, down);
        draw_image_filter(source, domain, request, *down);
    } else {
        draw_shape(source, domain, request);
        draw_terms(source, domain, request);
        draw_outside(source, request);
        draw_weights(source, request);
    }
    request->norm = one_in(source, 4);
    if (request_is_derivative(request))
        request->norm = SMOOTHIMG_SUM;
    request->adjoint =
        request->combination == SMOOTHIMG_ADD && !request->missing && source_below(source, 4) == 1;
    if (one_in(source, 3))
        draw_part(source, request);
    if (request->missing == SMOOTHIMG_ALPHA &&
        request->axes > 0) /* with alpha, a part of the result must have whole pixels */
        request->first[request->axes - 1] = request->left_out[request->axes - 1] =
            request->pieces[request->axes - 1] = 0;
}

static void draw_move(struct source *source, const struct domain *domain,
                      struct test_request *request, int64_t *down)
{
    request->op = OP_MOVE;
    request->src_type = request->dst_type = source_below(source, TYPES);
    if (one_in(source, 2))
        draw_image_shape(source, domain, request, down);
    else
        draw_shape(source, domain, request);
    for (int64_t a = 0; a < request->axes; a++)
        request->turn[a] = a;
    if (request->axes > 1 && one_in(source, 2)) {
        const int64_t a = source_below(source, request->axes - 1);

        request->turn[a] = a + 1;
        request->turn[a + 1] = a;
    } else if (one_in(source, 2))
        shuffle(source, request->turn, request->axes);
    else
        for (int64_t a = 0; a < request->axes; a++)
            request->flip[a] = source_below(source, 2);
}

/* Returns true if the request takes too many products of weights and samples. An engine estimates
 * each result first. If the estimate does not decide the rounding, the engine sums the whole window
 * exactly, which takes long. */
static bool takes_too_long(struct source *source, const struct domain *domain,
                           const struct test_request *request)
{
    const struct type *src = &types[request->src_type], *dst = &types[request->dst_type];
    const bool is_wide = src->bytes == 8 || dst->bytes == 8 || request->fill == FILL_WIDE;
    /* True for engines that sum along one axis after the other. Hardly any of their results needs
     * an exact sum over its whole window, so only the products of the passes along the axes are
     * counted. */
    const bool is_of_rows =
        (strchr(request->engine, ':') || strncmp(request->engine, "cpu", 3) == 0) &&
        !(domain->on_device && request->src_type == SMOOTHIMG_F32);
    const int64_t most =
        domain->products * (!domain->on_device && one_in(source, 50) ? 30 : 3) / (is_wide ? 4 : 1);
    const double sums = (double)request_samples(request) * request_terms(request);
    double products = sums, taps = 0;

    for (int a = 0; a < request->axes; a++) {
        const double window =
            (double)(2 * (request_axis_reach(request, a) < 0 ? 0 : request_axis_reach(request, a)) +
                     1);

        taps += sums * window;
        products *= window;
    }
    return (is_of_rows ? taps : products) > (double)most ||
           products > 400. * (double)domain->products;
}

bool request_draw(struct source *source, const struct domain *domain, struct test_request *request)
{
    int64_t engines = 0, down = -1;

    memset(request, 0, sizeof *request);
    while (domain->engines[engines])
        engines++;
    strcpy(request->engine, domain->engines[one_in(source, 2) ? source_below(source, engines) : 0]);
    if (domain->on_device) {
        request->device = one_in(source, 3) ? LENT : ON_DEVICE;
        request->grid = one_in(source, 3) ? 1 + source_below(source, 2) : 0;
    } else {
        request->isa = source_below(source, 6);
        request->threads = one_in(source, 2) ? source_below(source, 6) : 0;
    }
    if (strcmp(request->engine, "vector") == 0 || /* this variant computes only moves */
        (!strchr(request->engine, ':') && strcmp(request->engine, "arrays") != 0 &&
         one_in(source, 6)))
        draw_move(source, domain, request, &down);
    else
        draw_filter(source, domain, request, &down);
    draw_lie(source, request, true, down, &request->src);
    draw_lie(source, request, false, down, &request->dst);
    request->fill = source_below(source, FILLS);
    request->seed = (int64_t)(source_next(source) >> 40);
    request->reserve = one_in(source, 4) ? RESERVED + source_below(source, 2) : 0;
    request->environment = one_in(source, 6) ? source_below(source, 7) : 0;
    return request_is_valid(request) && !takes_too_long(source, domain, request);
}
