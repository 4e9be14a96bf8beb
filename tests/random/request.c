/* SPDX-License-Identifier: MIT */
#include "tests/random/request.h"

#include "src/lib/smoothimg.h"
#include "tests/random/fill.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct type types[TYPES] = {
    [SMOOTHIMG_U8] = {"uint8", 1, .high = UINT8_MAX},
    [SMOOTHIMG_U16] = {"uint16", 2, .high = UINT16_MAX},
    [SMOOTHIMG_F32] = {"float32", 4, true, 24, -149, 256, 0, 0},
    [SMOOTHIMG_BOOL] = {"bool", 1, .high = 1},
    [SMOOTHIMG_I8] = {"int8", 1, .low = INT8_MIN, .high = INT8_MAX},
    [SMOOTHIMG_I16] = {"int16", 2, .low = INT16_MIN, .high = INT16_MAX},
    [SMOOTHIMG_I32] = {"int32", 4, .low = INT32_MIN, .high = INT32_MAX},
    [SMOOTHIMG_U32] = {"uint32", 4, .high = UINT32_MAX},
    [SMOOTHIMG_I64] = {"int64", 8, .low = INT64_MIN, .high = INT64_MAX},
    [SMOOTHIMG_U64] = {"uint64", 8, .high = UINT64_MAX},
    [SMOOTHIMG_F16] = {"float16", 2, true, 11, -24, 32, 0, 0},
    [SMOOTHIMG_F64] = {"float64", 8, true, 53, -1074, 2048, 0, 0},
};

/* --- A table of a request's members, for functions that run through all of them. */

enum kind { NUMBER, NATURAL, REAL, TEXT }; /* NATURAL: 64 bits, unsigned */
/* A member has one value; one for each axis; or one for each term and axis. */
enum role { ALONE, BY_AXIS, BY_TERM };

static const char *const ops[] = {"filter", "move", NULL};
static const char *const devices[] = {"host", "device", "lent", NULL};
static const char *const isas[] = {"highest", "base", "avx2", "avx512", "vnni", "neon", NULL};
static const char *const environments[] = {"default", "upward",   "downward", "to-zero",
                                           "flushed", "trapping", "all",      NULL};
static const char *const combinations[] = {"add", "magnitude", "apart", NULL};
static const char *const norms[] = {"sum", "analytic", NULL};
static const char *const missings[] = {"all", "alpha", "nan", NULL};
static const char *const edges[] = {"reflect", "nearest", "mirror", "wrap", "constant", NULL};
static const char *type_names[TYPES + 1];

static const struct member {
    const char *name;
    size_t offset;
    enum kind kind;
    enum role role;
    const char *const *words; /* NUMBER: names of its values, or NULL */
    int64_t most;             /* NUMBER: the member's greatest value */
} members[] = {
#define ONE(NAME, MEMBER, ...)                                                                     \
    {                                                                                              \
        NAME, offsetof(struct test_request, MEMBER), __VA_ARGS__                                   \
    }
    ONE("op", op, NUMBER, ALONE, ops, 1),
    ONE("src", src_type, NUMBER, ALONE, type_names, TYPES - 1),
    ONE("dst", dst_type, NUMBER, ALONE, type_names, TYPES - 1),
    ONE("axes", axes, NUMBER, ALONE, NULL, AXES),
    ONE("shape", shape, NUMBER, BY_AXIS, NULL, 1 << 20),
    ONE("terms", terms, NUMBER, ALONE, NULL, TERMS - 1),
    ONE("radius", radius, NUMBER, BY_TERM, NULL, SMOOTHIMG_MAX_RADIUS),
    ONE("sigma", sigma, REAL, BY_TERM, NULL, 0),
    ONE("order", order, NUMBER, BY_TERM, NULL, 6),
    ONE("scale", scale, REAL, BY_TERM, NULL, 0),
    ONE("edge", edge, NUMBER, BY_TERM, edges, 4),
    ONE("combination", combination, NUMBER, ALONE, combinations, 2),
    ONE("norm", norm, NUMBER, ALONE, norms, 1),
    ONE("missing", missing, NUMBER, ALONE, missings, 2),
    ONE("outside", outside, REAL, ALONE, NULL, 0),
    ONE("outside_i64", outside_i64, NUMBER, ALONE, NULL, INT64_MAX),
    ONE("outside_u64", outside_u64, NATURAL, ALONE, NULL, 0),
    ONE("adjoint", adjoint, NUMBER, ALONE, NULL, 1),
    ONE("turn", turn, NUMBER, BY_AXIS, NULL, AXES - 1),
    ONE("flip", flip, NUMBER, BY_AXIS, NULL, 1),
    ONE("src_maxval", src_maxval, NUMBER, ALONE, NULL, UINT16_MAX),
    ONE("dst_maxval", dst_maxval, NUMBER, ALONE, NULL, UINT16_MAX),
    ONE("fill", fill, NUMBER, ALONE, fill_names, FILLS - 1),
    ONE("seed", seed, NATURAL, ALONE, NULL, 0),
    ONE("engine", engine, TEXT, ALONE, NULL, 0),
    ONE("device", device, NUMBER, ALONE, devices, 2),
    ONE("isa", isa, NUMBER, ALONE, isas, 5),
    ONE("threads", threads, NUMBER, ALONE, NULL, 16),
    ONE("reserve", reserve, NUMBER, ALONE, NULL, MEASURED),
    ONE("environment", environment, NUMBER, ALONE, environments, 6),
    ONE("grid", grid, NUMBER, ALONE, NULL, 2),
    ONE("first", first, NUMBER, BY_AXIS, NULL, 1 << 20),
    ONE("left_out", left_out, NUMBER, BY_AXIS, NULL, 1 << 20),
    ONE("pieces", pieces, NUMBER, BY_AXIS, NULL, 9),
#define LIE(NAME, MEMBER)                                                                          \
    ONE(NAME "_order", MEMBER.order, NUMBER, BY_AXIS, NULL, AXES - 1),                             \
        ONE(NAME "_gap", MEMBER.gap, NUMBER, BY_AXIS, NULL, 4096),                                 \
        ONE(NAME "_back", MEMBER.back, NUMBER, BY_AXIS, NULL, 1),                                  \
        ONE(NAME "_same", MEMBER.same, NUMBER, BY_AXIS, NULL, 1),                                  \
        ONE(NAME "_offset", MEMBER.offset, NUMBER, ALONE, NULL, 64),                               \
        ONE(NAME "_behind", MEMBER.behind, NUMBER, ALONE, NULL, 1),                                \
        ONE(NAME "_fence", MEMBER.fence, NUMBER, ALONE, NULL, 2),                                  \
        ONE(NAME "_far", MEMBER.far, NUMBER, ALONE, NULL, 1)
    LIE("src", src),
    LIE("dst", dst),
#undef LIE
#undef ONE
};

#define MEMBERS (int)(sizeof members / sizeof *members)

static int count_of(const struct member *member, const struct test_request *request)
{
    return member->role == ALONE     ? 1
           : member->role == BY_AXIS ? (int)request->axes
                                     : (int)request->axes * request_terms(request);
}

static void *at(const struct member *member, const struct test_request *request, int i)
{
    return (char *)(uintptr_t)request + member->offset + 8 * (size_t)i;
}

static bool is_default(const struct member *member, const struct test_request *request)
{
    static const char zeros[8 * TERMS * AXES];
    const int count = count_of(member, request);

    return member->kind == TEXT ? !*(const char *)at(member, request, 0)
                                : memcmp(at(member, request, 0), zeros, 8 * (size_t)count) == 0;
}

static void name_types(void)
{
    for (int i = 0; i < TYPES; i++)
        type_names[i] = types[i].name;
}

static int print_one(const struct member *member, const struct test_request *request, int i,
                     char *to, size_t room)
{
    const void *from = at(member, request, i);

    if (member->kind == TEXT)
        return snprintf(to, room, "%s", (const char *)from);
    if (member->kind == REAL)
        return snprintf(to, room, "%.17g", *(const double *)from);
    if (member->words)
        return snprintf(to, room, "%s", member->words[*(const int64_t *)from]);
    return snprintf(to, room, member->kind == NATURAL ? "%" PRIu64 : "%" PRId64,
                    *(const int64_t *)from);
}

void request_print(const struct test_request *request, char *line)
{
    size_t length = 0;

    name_types();
    *line = 0;
    for (const struct member *member = members; member < members + MEMBERS; member++)
        for (int i = 0; i < count_of(member, request); i++) {
            if (i == 0 && is_default(member, request))
                break;
            length += (size_t)snprintf(line + length, LINE_LENGTH - length, "%s%s%s",
                                       i > 0        ? ""
                                       : length > 0 ? " "
                                                    : "",
                                       i > 0 ? "" : member->name, i > 0 ? "," : "=");
            length += (size_t)print_one(member, request, i, line + length, LINE_LENGTH - length);
        }
}

static bool parse_one(const struct member *member, struct test_request *request, int i,
                      const char *word)
{
    void *to = at(member, request, i);
    char *end = (char *)(uintptr_t)word;
    int64_t number = 0;

    if (member->kind == TEXT) {
        snprintf(to, ENGINE_LENGTH, "%s", word);
        return strlen(word) < ENGINE_LENGTH;
    }
    if (member->kind == REAL) {
        *(double *)to = strtod(word, &end);
        return end > word && !*end;
    }
    if (member->words) {
        while (member->words[number] && strcmp(member->words[number], word) != 0)
            number++;
        *(int64_t *)to = number;
        return member->words[number];
    }
    *(int64_t *)to =
        member->kind == NATURAL ? (int64_t)strtoull(word, &end, 10) : strtoll(word, &end, 10);
    return end > word && !*end;
}

/* Parses "NAME=VALUE,VALUE". */
static bool parse_member(char *text, struct test_request *request)
{
    char *values = strchr(text, '='), *rest = NULL;
    int i = 0;

    if (!values)
        return false;
    *values++ = 0;
    for (const struct member *member = members; member < members + MEMBERS; member++) {
        if (strcmp(member->name, text) != 0)
            continue;
        for (char *word = strtok_r(values, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
            if (i >= (member->role == ALONE ? 1 : TERMS * AXES) || i >= count_of(member, request) ||
                !parse_one(member, request, i++, word))
                return false;
        return i == count_of(member, request);
    }
    return false;
}

bool request_parse(const char *line, struct test_request *request)
{
    char copy[LINE_LENGTH], *rest = NULL;

    name_types();
    memset(request, 0, sizeof *request);
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok_r(copy, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
        if (!parse_member(word, request)) {
            fprintf(stderr, "'%s' is no member of a request, or has a wrong value\n", word);
            return false;
        }
    if (!request_is_valid(request)) {
        fprintf(stderr, "this request cannot be asked\n");
        return false;
    }
    return true;
}

/* --- Properties. */

int64_t request_samples(const struct test_request *request)
{
    int64_t samples = 1;

    for (int a = 0; a < request->axes; a++)
        samples *= request->shape[a];
    return samples;
}

int64_t request_extent(const struct test_request *request, int axis)
{
    return request->op == OP_MOVE
               ? request->shape[request->turn[axis]]
               : request->shape[axis] - request->first[axis] - request->left_out[axis];
}

int request_terms(const struct test_request *request)
{
    return (int)request->terms + 1;
}

bool request_is_filtered(const struct test_request *request, int term, int axis)
{
    const int64_t i = term * request->axes + axis;

    return request->sigma[i] > 0 || request->radius[i] > 0 || request->scale[i] < 0;
}

int64_t request_radius(const struct test_request *request, int term, int axis)
{
    const int64_t i = term * request->axes + axis, radius = request->radius[i];

    return radius > 0 ? radius : radius < 0 ? 0 : (int64_t)floor(4 * request->sigma[i] + 0.5);
}

int64_t request_axis_reach(const struct test_request *request, int axis)
{
    int64_t reach = -1;

    for (int t = 0; t < request_terms(request); t++)
        if (request_is_filtered(request, t, axis) && request_radius(request, t, axis) > reach)
            reach = request_radius(request, t, axis);
    return reach;
}

const char *request_isa(const struct test_request *request)
{
    return request->isa > 0 ? isas[request->isa] : NULL;
}

static bool is_permutation(const int64_t *order, int64_t axes)
{
    int64_t seen = 0;

    for (int a = 0; a < axes; a++)
        seen |= order[a] < 0 || order[a] >= axes ? -1 : (int64_t)1 << order[a];
    return seen == ((int64_t)1 << axes) - 1;
}

static bool is_zero(const int64_t *numbers)
{
    for (int a = 0; a < AXES; a++)
        if (numbers[a] != 0)
            return false;
    return true;
}

static bool lie_is_valid(const struct lie *lie, const struct test_request *request, bool is_src)
{
    const int64_t type = is_src ? request->src_type : request->dst_type;

    if (!is_zero(lie->order) && !is_permutation(lie->order, request->axes))
        return false;
    for (int a = 0; a < request->axes; a++)
        if ((lie->same[a] && !is_src) || lie->gap[a] < 0 ||
            (request->device == ON_DEVICE && lie->gap[a] % types[type].bytes != 0))
            return false;
    if (lie->far && (lie->fence == 0 || sizeof(void *) < 8))
        return false;
    return request->device != ON_DEVICE ||
           (lie->fence == 0 && lie->offset % types[type].bytes == 0);
}

static bool axis_is_valid(const struct test_request *request, int term, int axis)
{
    const int64_t i = term * request->axes + axis;
    const double sigma = request->sigma[i], scale = request->scale[i];

    if (!(sigma >= 0) || isinf(sigma) || request->radius[i] < -1 ||
        (request->radius[i] == 0 && sigma > 250))
        return false;
    if (request->order[i] > 0 &&
        (request->norm == SMOOTHIMG_ANALYTIC || (sigma == 0 && request->radius[i] <= 0)))
        return false;
    return scale == 0 || fabs(scale) == 1 ||
           (request->order[i] > 0 && fabs(scale) >= 0x1p-20 && fabs(scale) <= 0x1p20);
}

static bool filter_is_valid(const struct test_request *request)
{
    const int last = (int)request->axes - 1;

    for (int a = 0; a < request->axes; a++) {
        if (request->turn[a] || request->flip[a] || request->first[a] < 0 ||
            request->left_out[a] < 0 || request_extent(request, a) < 0)
            return false;
        for (int t = 0; t < request_terms(request); t++)
            if (!axis_is_valid(request, t, a))
                return false;
    }
    if (request->missing != SMOOTHIMG_ALL &&
        (request->terms > 0 || request->combination == SMOOTHIMG_MAGNITUDE))
        return false;
    if (request->missing == SMOOTHIMG_ALPHA && (last < 0 || request->shape[last] < 2))
        return false;
    if (request->adjoint && (request->combination != SMOOTHIMG_ADD || request->missing))
        return false;
    return isfinite(request->outside) &&
           (request->outside != 0) + (request->outside_i64 != 0) + (request->outside_u64 != 0) <= 1;
}

static bool maxval_is_valid(int64_t type, int64_t maxval)
{
    return maxval == 0 || (type <= SMOOTHIMG_U16 && (uint64_t)maxval <= types[type].high);
}

bool request_is_valid(const struct test_request *request)
{
    if (request->terms < 0 || request->terms >= TERMS || request->axes < 0 || request->axes > AXES)
        return false;
    for (const struct member *member = members; member < members + MEMBERS; member++)
        for (int i = 0; i < count_of(member, request) && member->kind == NUMBER; i++) {
            const int64_t number = *(int64_t *)at(member, request, i);
            const bool may_be_negative =
                strcmp(member->name, "radius") == 0 || strcmp(member->name, "outside_i64") == 0;

            if (number > member->most || (number < 0 && !may_be_negative))
                return false;
        }
    if (request_samples(request) > 1 << 22 || !lie_is_valid(&request->src, request, true) ||
        !lie_is_valid(&request->dst, request, false) ||
        !maxval_is_valid(request->src_type, request->src_maxval) ||
        !maxval_is_valid(request->dst_type, request->dst_maxval))
        return false;
    if (request->op == OP_FILTER)
        return filter_is_valid(request);
    return is_permutation(request->turn, request->axes) && request->src_type == request->dst_type &&
           request->terms == 0 && is_zero(request->first) && is_zero(request->left_out) &&
           is_zero(request->pieces);
}

bool request_is_derivative(const struct test_request *request)
{
    for (int i = 0; i < TERMS * AXES; i++)
        if (request->order[i] > 0 || request->scale[i] < 0)
            return true;
    return false;
}

/* Returns true if alpha weights the samples and the request either smooths along the channels of a
 * pixel or takes only some of them. */
static bool cuts_pixels(const struct test_request *request)
{
    const int last = (int)request->axes - 1;

    return request->missing == SMOOTHIMG_ALPHA && last >= 0 &&
           (request_radius(request, 0, last) > 0 || request->first[last] > 0 ||
            request->left_out[last] > 0 || request->pieces[last] > 0);
}

static bool is_image_only(const struct test_request *request)
{
    const bool is_mean = request->norm == SMOOTHIMG_SUM && request->terms == 0 &&
                         request->combination != SMOOTHIMG_MAGNITUDE &&
                         !request_is_derivative(request) && !request->adjoint;
    const int64_t most = request->src_maxval > 0 ? request->src_maxval : INT64_MAX;

    if (request->missing != SMOOTHIMG_ALL &&
        (request_is_derivative(request) || request->device != OF_HOST || cuts_pixels(request)))
        return true;
    return (request->dst_maxval > 0 &&
            (!is_mean || request->outside != 0 || request->outside_i64 != 0 ||
             request->outside_u64 != 0 || most > request->dst_maxval));
}

/* Near the corners of the array the adjoint is a sum of filters. Returns their number. */
static double sums_of_adjoint(const struct test_request *request)
{
    double sums = 0;

    for (int t = 0; t < request_terms(request); t++) {
        double product = 1;

        for (int a = 0; a < request->axes; a++) {
            const int64_t i = t * request->axes + a, edge = request->edge[i];

            if (request_radius(request, t, a) > 0)
                product *= edge == SMOOTHIMG_MIRROR                             ? 3
                           : edge == SMOOTHIMG_REFLECT && request->order[i] % 2 ? 2
                                                                                : 1;
        }
        sums += product;
    }
    return sums;
}

bool request_cancels(const struct test_request *request)
{
    bool cancels = false;

    for (int64_t i = 0; i < request_terms(request) * request->axes; i++)
        cancels |= request->edge[i] == SMOOTHIMG_MIRROR ||
                   (request->edge[i] != SMOOTHIMG_CONSTANT && request->order[i] > 0);
    return request->adjoint && cancels;
}

bool request_is_served(const struct test_request *request)
{
    static const char *const all[] = {"", "arrays", "reference", "cpu", "fused", NULL};
    int i = 0;

    while (all[i] && strcmp(all[i], request->engine) != 0)
        i++;
    if (!all[i])
        return false;
    if (request->op == OP_MOVE)
        return request->device == OF_HOST;
    for (int a = 0; a < request->axes && request->adjoint; a++)
        if (request_axis_reach(request, a) == SMOOTHIMG_MAX_RADIUS)
            return false;
    return !is_image_only(request) &&
           !(request->adjoint && sums_of_adjoint(request) > SMOOTHIMG_MAX_FILTERED);
}

/* --- Simpler requests. */

/* Removes axis a from all members that have a value for each axis. */
static void drop_axis(struct test_request *request, int a)
{
    const int axes = (int)request->axes, terms = request_terms(request);

    for (const struct member *member = members; member < members + MEMBERS; member++) {
        uint64_t *numbers = at(member, request, 0);
        int kept = 0;

        if (member->role == ALONE)
            continue;
        for (int i = 0; i < (member->role == BY_AXIS ? axes : axes * terms); i++)
            if (i % axes != a)
                numbers[kept++] = numbers[i];
        for (; kept < (member->role == BY_AXIS ? AXES : TERMS * AXES); kept++)
            numbers[kept] = 0;
    }
    for (int i = 0; i < axes - 1; i++) {
        request->turn[i] -= request->turn[i] > a;
        request->src.order[i] = request->dst.order[i] = 0;
    }
    request->axes--;
}

static bool simplify_number(const struct member *member, struct test_request *request, int i,
                            int way)
{
    int64_t *number = at(member, request, i);
    const int64_t ways[] = {0, 1, *number / 2, *number - 1};
    const int64_t before = *number;

    if (member->kind == REAL) {
        double *real = at(member, request, i);
        const double reals[] = {0, 1, round(*real), (float)*real};
        const double old = *real;

        *real = reals[way];
        return fabs(*real) < fabs(old) || (*real != old && round(*real) == *real);
    }
    *number = ways[way];
    return *number != before && (*number >= 0 || *number > before) &&
           (member->kind == NATURAL || *number < before || before < 0);
}

bool request_simpler(const struct test_request *request, int number, struct test_request *simpler)
{
    *simpler = *request;
    if (number < request->axes) {
        drop_axis(simpler, number);
        return true;
    }
    number -= (int)request->axes;
    if (number == 0) {
        simpler->terms = request->terms > 0 ? request->terms - 1 : 0;
        return true;
    }
    number--;
    for (const struct member *member = members; member < members + MEMBERS; member++) {
        const int ways = member->kind == TEXT ? 1 : 4, count = count_of(member, request) * ways;

        if (number >= count || strcmp(member->name, "axes") == 0 ||
            strcmp(member->name, "seed") == 0) {
            number -= number >= count ? count : 0;
            continue;
        }
        if (member->kind == TEXT)
            simpler->engine[0] = 0;
        else if (!simplify_number(member, simpler, number / ways, number % ways))
            *simpler = *request;
        return true;
    }
    return false;
}
