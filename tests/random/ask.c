/* SPDX-License-Identifier: MIT */
#include "tests/random/ask.h"

#include "src/lib/api/context.h"
#include "src/lib/api/study.h"
#include "src/lib/gpu/gpu.h"
#include "src/lib/smoothimg.h"
#include "tests/random/environment.h"
#include "tests/random/fill.h"
#include "tests/random/oracle.h"
#include "tests/random/room.h"

#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 16
/* The address of an array on the host and the address of its copy on the device are equal modulo
 * BESIDE (bytes). */
#define BESIDE 64
#define UNIT 16 /* kernels read whole units of 16 bytes, at addresses that are multiples of 16 */

/* contexts[n] has n threads; contexts[0] uses the device. */
static struct smoothimg_context *contexts[MOST_THREADS + 1];
static struct gpu *gpu;
static const char *fault;

const char *ask_fault(void)
{
    return fault;
}

static void must(enum smoothimg_status status, const struct smoothimg_context *context)
{
    if (status == SMOOTHIMG_OK)
        return;
    printf("  %s\n", smoothimg_message(context));
    exit(1);
}

static void must_on_device(enum status status, const struct error *error)
{
    if (status == STATUS_OK)
        return;
    printf("  %s\n", error->text);
    exit(1);
}

static struct smoothimg_context *context_of(const struct test_request *request)
{
    const int64_t threads = request->threads > 0 ? request->threads : 1;
    struct smoothimg_context **context = &contexts[request->device == OF_HOST ? threads : 0];
    struct error error;

    /* If the test checks how much memory the call takes, a new context replaces the old one. The
     * new context holds no memory yet, so that held() counts only what smoothimg_reserve and the
     * tested call allocate. */
    if (request->reserve && request->device == OF_HOST) {
        smoothimg_close(*context);
        *context = NULL;
    }
    if (!*context) {
        must(smoothimg_open((int)threads, context), *context);
        study_every_thread(*context);
        if (request->device != OF_HOST) {
            if (smoothimg_use_device(*context, 0) != SMOOTHIMG_OK) {
                printf("%s\n", smoothimg_message(*context));
                exit(getenv("SMOOTHIMG_REQUIRE_GPU") ? 1 : 77); /* 77: skipped */
            }
            must_on_device(gpu_open(0, &gpu, &error), &error);
        }
    }
    study_instructions(*context, request_isa(request));
    must(smoothimg_choose(*context, request->engine[0] ? request->engine : NULL), *context);
    return *context;
}

void ask_end(void)
{
    for (int i = 0; i <= MOST_THREADS; i++)
        smoothimg_close(contexts[i]);
    gpu_close(gpu);
    memset(contexts, 0, sizeof contexts);
    gpu = NULL;
}

/* --- A call. */

/* A call of the library: a request with its objects and arrays. */
struct question {
    const struct test_request *request;
    struct smoothimg_context *context;
    struct smoothimg_filter *filter;
    struct room src, dst[TERMS];
    int results;                          /* number of arrays in dst */
    void *src_device, *dst_device[TERMS]; /* copies of src and dst on the device, or NULL */
    bool env_changed;
    int64_t measured; /* bytes that smoothimg_measure returned */
    int64_t before;   /* bytes of host memory that the context held before the call */
};

/* Returns the bytes of host memory that a context holds. */
static int64_t held(const struct smoothimg_context *context)
{
    size_t bytes = 0;

    for (int i = 0; i < context->threads; i++)
        bytes += context->memory[i].bytes;
    for (int i = 0; i < KEPT_PLANS; i++)
        bytes += context->plans.known[i].plan.room;
    return (int64_t)bytes;
}

/* Returns how many bytes to leave free before the array in device memory, so that its address
 * modulo BESIDE is the same as on the host. */
static int64_t shift_of(const struct room *room)
{
    return room->begin % BESIDE;
}

/* Returns the size of an array's copy on the device: a multiple of UNIT bytes, since kernels may
 * read the rest of the last unit. */
static int64_t device_bytes(const struct room *room)
{
    return (shift_of(room) + (int64_t)room->row_bytes + UNIT - 1) / UNIT * UNIT;
}

/* Copies the array of a room (room.h: the memory of one array on the host) to the device, including
 * the poison bytes before and after the array. Returns the address of the device's memory. */
static void *to_device(const struct room *room)
{
    struct error error;
    void *memory;

    must_on_device(gpu_array_make(gpu, device_bytes(room), "a test", &memory, &error), &error);
    must_on_device(gpu_array_put(gpu, memory, room->memory + room->begin - shift_of(room),
                                 device_bytes(room), &error),
                   &error);
    return memory;
}

static void from_device(const struct room *room, void *memory)
{
    struct error error;

    must_on_device(gpu_array_get(gpu, room->memory + room->begin - shift_of(room), memory,
                                 device_bytes(room), &error),
                   &error);
}

static struct smoothimg_array array_of(const struct room *room, void *device, int64_t type,
                                       int64_t maxval)
{
    char *base = device ? (char *)device + shift_of(room) - room->begin : room->memory;

    return (struct smoothimg_array){.data = base + room->origin,
                                    .axes = room->axes,
                                    .shape = room->shape,
                                    .strides = room->strides,
                                    .type = (enum smoothimg_type)type,
                                    .memory = device ? SMOOTHIMG_CUDA : SMOOTHIMG_HOST,
                                    .maxval = (uint64_t)maxval};
}

static struct smoothimg_array src_of(const struct question *question)
{
    return array_of(&question->src, question->src_device, question->request->src_type,
                    question->request->src_maxval);
}

static struct smoothimg_array dst_of(const struct question *question, int i)
{
    return array_of(&question->dst[i], question->dst_device[i], question->request->dst_type,
                    question->request->dst_maxval);
}

static enum smoothimg_status create(struct question *question)
{
    const struct test_request *request = question->request;
    const int64_t count = request->axes * request_terms(request);
    struct smoothimg_axis axis[TERMS * AXES + 1] = {0};
    const struct smoothimg_filter_options options = {
        .axes = (int)request->axes,
        .terms = request_terms(request),
        .axis = axis,
        .combination = (enum smoothimg_combination)request->combination,
        .norm = (enum smoothimg_norm)request->norm,
        .missing = (enum smoothimg_missing)request->missing,
        .outside = request->outside,
        .outside_i64 = request->outside_i64,
        .outside_u64 = (uint64_t)request->outside_u64,
        .adjoint = (int)request->adjoint};
    struct environment environment;
    enum smoothimg_status status;

    for (int64_t i = 0; i < count; i++)
        axis[i] =
            (struct smoothimg_axis){request->sigma[i], request->radius[i], (int)request->order[i],
                                    (enum smoothimg_edge)request->edge[i], request->scale[i]};
    environment_enter(&environment, (int)request->environment);
    status = smoothimg_filter_create(question->context, &options, &question->filter);
    question->env_changed |= environment_leave(&environment);
    return status;
}

/* Along axis a, a piece of the result has the indices *begin..*end - 1. Extends this range to the
 * indices of all source samples on which the piece depends. */
static void crop(const struct test_request *request, int a, int64_t *begin, int64_t *end)
{
    int64_t reach = request_axis_reach(request, a) > 0 ? request_axis_reach(request, a) : 0;
    bool wraps = false, mirrors = false;

    for (int t = 0; t < request_terms(request); t++) {
        const bool is_filtered = request_is_filtered(request, t, a);
        const int64_t edge = request->edge[t * request->axes + a];

        wraps |= is_filtered && edge == SMOOTHIMG_WRAP;
        mirrors |= is_filtered && edge == SMOOTHIMG_MIRROR;
    }
    reach += request->adjoint && mirrors;
    wraps = wraps && (*begin < reach || *end + reach > request->shape[a]);
    *begin = wraps || *begin < reach ? 0 : *begin - reach;
    *end = wraps || *end + reach > request->shape[a] ? request->shape[a] : *end + reach;
}

static bool has_parts(const struct test_request *request, bool pieces)
{
    for (int a = 0; a < request->axes; a++)
        if (pieces ? request->pieces[a] > 0 : request->first[a] > 0 || request->left_out[a] > 0)
            return true;
    return false;
}

/* Computes a piece of the result: along axis a, piece number piece[a] of request->pieces[a] + 1.
 * The call gets the part of the source on which the piece depends; the whole source if the result
 * is not divided. */
static enum smoothimg_status filter_piece(struct question *question, const int64_t *piece)
{
    const struct test_request *request = question->request;
    const bool pieces = has_parts(request, true);
    struct smoothimg_array src = src_of(question), dst[TERMS];
    int64_t from_shape[AXES], to_shape[AXES], first[AXES];
    struct environment environment;
    enum smoothimg_status status;

    for (int i = 0; i < question->results; i++) {
        dst[i] = dst_of(question, i);
        dst[i].shape = to_shape;
    }
    src.shape = from_shape;
    for (int a = 0; a < request->axes; a++) {
        const int64_t extent = question->dst[0].shape[a], count = request->pieces[a] + 1;
        const int64_t at = extent * piece[a] / count;
        int64_t begin = request->first[a] + at, end = 0;

        to_shape[a] = extent * (piece[a] + 1) / count - at;
        end = begin + to_shape[a];
        first[a] = begin;
        if (pieces)
            crop(request, a, &begin, &end);
        else
            begin = 0, end = request->shape[a];
        first[a] -= begin;
        from_shape[a] = end - begin;
        src.data = (char *)src.data + begin * src.strides[a];
        for (int i = 0; i < question->results; i++)
            dst[i].data = (char *)dst[i].data + at * dst[i].strides[a];
    }
    environment_enter(&environment, (int)request->environment);
    status = smoothimg_filter(question->context, question->filter, &src, dst,
                              pieces || has_parts(request, false) ? first : NULL,
                              question->src_device ? gpu_stream(gpu) : NULL);
    question->env_changed |= environment_leave(&environment);
    return status;
}

static enum smoothimg_status filter_pieces(struct question *question)
{
    const struct test_request *request = question->request;
    int64_t piece[AXES] = {0};
    enum smoothimg_status status;
    int a;

    do {
        status = filter_piece(question, piece);
        for (a = (int)request->axes - 1; a >= 0 && ++piece[a] > request->pieces[a]; a--)
            piece[a] = 0;
    } while (a >= 0 && status == SMOOTHIMG_OK);
    return status;
}

static enum smoothimg_status move(struct question *question)
{
    const struct test_request *request = question->request;
    const struct smoothimg_array src = src_of(question), dst = dst_of(question, 0);
    int turn[AXES] = {0}, flip[AXES] = {0};
    struct environment environment;
    enum smoothimg_status status;

    for (int a = 0; a < request->axes; a++) {
        turn[a] = (int)request->turn[a];
        flip[a] = (int)request->flip[a];
    }
    environment_enter(&environment, (int)request->environment);
    status = smoothimg_move(question->context, turn, flip, &src, &dst,
                            question->src_device ? gpu_stream(gpu) : NULL);
    question->env_changed |= environment_leave(&environment);
    return status;
}

/* Calls smoothimg_reserve if `reserve` is RESERVED, or smoothimg_measure if it is MEASURED. */
static enum smoothimg_status prepare(struct question *question, int64_t reserve)
{
    const struct test_request *request = question->request;
    const struct smoothimg_array src = src_of(question), dst = dst_of(question, 0);
    const bool moves = request->op == OP_MOVE;
    enum smoothimg_status status = SMOOTHIMG_OK;
    struct environment environment;
    int64_t first[AXES];

    memcpy(first, request->first, sizeof first);
    environment_enter(&environment, (int)request->environment);
    if (reserve == RESERVED)
        status = smoothimg_reserve(question->context, question->filter, &src, moves ? NULL : &dst);
    else if (reserve == MEASURED && !moves)
        status = smoothimg_measure(question->context, question->filter, &src, &dst, first,
                                   &question->measured);
    question->env_changed |= environment_leave(&environment);
    /* On the host, the tested call gets a new context, which holds no memory yet. */
    if (reserve == MEASURED && status == SMOOTHIMG_OK)
        question->context = context_of(request);
    return status;
}

/* Sets how many blocks along y a grid may have on the emulated device, so that kernels have to loop
 * over the blocks that do not fit. 0: as many as on a GPU. */
static void set_grid(int64_t blocks)
{
    const char text[] = {(char)('0' + blocks), 0};

    if (blocks > 0)
        setenv("EMULATED_GRID", text, 1);
    else
        unsetenv("EMULATED_GRID");
}

static enum smoothimg_status answer(struct question *question)
{
    const struct test_request *request = question->request;
    enum smoothimg_status status = request->op == OP_FILTER ? create(question) : SMOOTHIMG_OK;

    set_grid(request->grid);
    if (status == SMOOTHIMG_OK)
        status = prepare(question, request->reserve);
    question->before = held(question->context);
    if (status == SMOOTHIMG_OK)
        status = request->op == OP_FILTER ? filter_pieces(question) : move(question);
    if (question->src_device && status == SMOOTHIMG_OK)
        status = smoothimg_wait(question->context);
    return status;
}

/* --- Judging the result. */

/* Returns true if the manual documents this refusal. */
static bool is_refusal(enum smoothimg_status status, const struct question *question)
{
    const char *message = smoothimg_message(question->context);

    if (status == SMOOTHIMG_INVALID)
        return strstr(message, "too large to be exact") ||
               strstr(message, "the analytic norm with");
    return status == SMOOTHIMG_UNSUPPORTED && !request_is_served(question->request);
}

/* `all` has a result for each sample of src. Copies the results that belong to dst to `part`. */
static void take_part(const struct test_request *request, const uint64_t *all, uint64_t *part)
{
    const int64_t count = request_samples(request);

    for (int64_t i = 0; i < count; i++) {
        int64_t left = i, to = 0, step = 1;
        bool is_inside = true;

        for (int a = (int)request->axes - 1; a >= 0; a--) {
            const int64_t at = left % request->shape[a] - request->first[a];

            is_inside = is_inside && at >= 0 && at < request_extent(request, a);
            left /= request->shape[a];
            to += at * step;
            step *= request_extent(request, a);
        }
        if (is_inside)
            part[to] = all[i];
    }
}

/* Returns true if the window of result number i of dst extends to an end of a filtered axis, and
 * contains a NaN or an infinity. The filter is an adjoint. */
static bool reaches_special(const struct test_request *request, const uint64_t *samples, int64_t i)
{
    const uint64_t infinity = type_infinity(&types[request->src_type]);
    int64_t begin[AXES], end[AXES];
    bool is_near_end = false, found = false;

    for (int a = (int)request->axes - 1; a >= 0; a--) {
        begin[a] = request->first[a] + i % request_extent(request, a);
        end[a] = begin[a] + 1;
        i /= request_extent(request, a);
        crop(request, a, &begin[a], &end[a]);
        is_near_end |=
            request_axis_reach(request, a) > 0 && (begin[a] == 0 || end[a] == request->shape[a]);
    }
    for (int64_t from = 0; from < request_samples(request) && is_near_end && !found; from++) {
        int64_t left = from;

        found = (samples[from] & infinity) == infinity;
        for (int a = (int)request->axes - 1; a >= 0; a--) {
            found &= left % request->shape[a] >= begin[a] && left % request->shape[a] < end[a];
            left /= request->shape[a];
        }
    }
    return found;
}

/* Where weights of an adjoint may cancel, smoothimg.h allows a NaN, or 0 in an integer result,
 * instead of the right result. Where dst has such a result, copies it to `wanted`, so that the
 * comparison of dst with `wanted` accepts it. */
static void allow_nan(const struct test_request *request, const uint64_t *samples,
                      const struct room *dst, uint64_t *wanted)
{
    const struct type *type = &types[request->dst_type];
    const uint64_t nan =
        type->is_float ? type_infinity(type) | (uint64_t)1 << (type->significant - 2) : 0;
    uint64_t *got = calloc((size_t)dst->samples + 1, sizeof *got);

    room_get(dst, got);
    for (int64_t i = 0; i < dst->samples; i++)
        if (got[i] == nan && wanted[i] != nan && reaches_special(request, samples, i))
            wanted[i] = nan;
    free(got);
}

static enum verdict judge(const struct question *question, const uint64_t *samples)
{
    const struct test_request *request = question->request;
    const int64_t count = request_samples(request);
    uint64_t *wanted =
        request->op == OP_FILTER ? oracle_filter(request, samples) : oracle_move(request, samples);
    uint64_t *part = calloc((size_t)count + 1, sizeof *part);
    enum verdict verdict = RIGHT;

    for (int i = 0; i < question->results && verdict == RIGHT; i++) {
        if (request->op == OP_FILTER)
            take_part(request, wanted + i * count, part);
        else
            memcpy(part, wanted, (size_t)count * sizeof *part);
        if (types[request->src_type].is_float && request_cancels(request))
            allow_nan(request, samples, &question->dst[i], part);
        fault = room_difference(&question->dst[i], part);
        verdict = fault ? WRONG : RIGHT;
    }
    free(wanted);
    free(part);
    return verdict;
}

/* Returns true if the arrays' addresses are multiples of a sample's size. smoothimg_reserve and
 * smoothimg_measure expect such addresses. */
static bool is_aligned(const struct question *question)
{
    return (uintptr_t)src_of(question).data % (uintptr_t)question->src.sample_bytes == 0 &&
           (uintptr_t)dst_of(question, 0).data % (uintptr_t)question->dst[0].sample_bytes == 0;
}

/* Returns true if a refused call wrote nothing, and if smoothimg_reserve and smoothimg_measure
 * refuse it, too. Does not check what was written if the result is computed in pieces. Does not
 * call the two functions if they cannot know the reason for the refusal, such as the address of an
 * array. */
static bool is_untouched(struct question *question)
{
    const struct test_request *request = question->request;

    for (int i = 0; i < question->results && !has_parts(request, true); i++) {
        if (question->src_device)
            from_device(&question->dst[i], question->dst_device[i]);
        if (room_difference(&question->dst[i], NULL))
            return false;
    }
    return has_parts(request, true) || has_parts(request, false) || *request->engine ||
           request->op == OP_MOVE || !question->filter || !is_aligned(question) ||
           (prepare(question, RESERVED) != SMOOTHIMG_OK &&
            prepare(question, MEASURED) != SMOOTHIMG_OK);
}

/* Returns true if the tested call took no more memory than smoothimg_reserve reserved, or than
 * smoothimg_measure returned. For images on one thread, the call must also take what
 * smoothimg_measure returned, or at most UNIT - 1 bytes less. Also returns true if there is nothing
 * to check: if the request calls neither of these functions, or if smoothimg.h promises no limit.
 * smoothimg.h promises none on a device, for smoothimg_move, for results in pieces, for parts of an
 * adjoint, and for arrays whose addresses are not multiples of a sample's size. */
static bool was_foretold(const struct question *question)
{
    const struct test_request *request = question->request;
    const int64_t after = held(question->context);
    const bool is_reserved = request->reserve == RESERVED;
    const int64_t most = is_reserved ? question->before : question->measured;
    const bool is_exact = !is_reserved && request->threads <= 1 &&
                          strcmp(smoothimg_chosen(question->context), "arrays") != 0;
    const bool is_asked = request->reserve && request->device == OF_HOST &&
                          request->op == OP_FILTER && !has_parts(request, true) &&
                          !(request->adjoint && has_parts(request, false)) && is_aligned(question);
    const bool is_right = after <= most && (!is_exact || after > most - UNIT);

    if (is_asked && !is_right)
        printf("  the call took %lld bytes of memory, and not %lld%s\n", (long long)after,
               (long long)most, is_exact ? "" : " at most");
    return !is_asked || is_right;
}

/* Returns true if the request names an engine of a variant, such as "cpu:u8", but another engine
 * computed the result. The engine "arrays" may replace any other. Returns false for an empty
 * result.
 */
static bool is_another(const struct test_request *request, const char *engine)
{
    for (int a = 0; a < request->axes; a++)
        if (request_extent(request, a) == 0)
            return false;
    return strchr(request->engine, ':') && strcmp(engine, request->engine) != 0 &&
           strcmp(engine, "arrays") != 0;
}

static void open_question(struct question *question, uint64_t *samples)
{
    const struct test_request *request = question->request;
    const int axes = (int)request->axes;
    int64_t extent[AXES];

    for (int a = 0; a < axes; a++)
        extent[a] = request_extent(request, a);
    room_make(&question->src, &request->src, axes, request->shape, types[request->src_type].bytes);
    room_put(&question->src, samples);
    room_get(&question->src, samples);
    if (request->device == ON_DEVICE)
        question->src_device = to_device(&question->src);
    room_seal(&question->src);
    for (int i = 0; i < question->results; i++) {
        room_make(&question->dst[i], &request->dst, axes, extent, types[request->dst_type].bytes);
        if (request->device == ON_DEVICE)
            question->dst_device[i] = to_device(&question->dst[i]);
    }
}

static void close_question(struct question *question)
{
    smoothimg_filter_free(question->filter);
    room_free(&question->src);
    for (int i = 0; i < question->results; i++)
        room_free(&question->dst[i]);
    if (!question->src_device)
        return;
    gpu_array_free(gpu, question->src_device);
    for (int i = 0; i < question->results; i++)
        gpu_array_free(gpu, question->dst_device[i]);
}

enum verdict ask(const struct test_request *request, const char **engine)
{
    struct question question = {.request = request, .context = context_of(request)};
    uint64_t *samples = fill_make(request);
    enum smoothimg_status status;
    enum verdict verdict;

    question.results = request->combination == SMOOTHIMG_APART ? request_terms(request) : 1;
    open_question(&question, samples);
    status = answer(&question);
    for (int i = 0; i < question.results && question.src_device && status == SMOOTHIMG_OK; i++)
        from_device(&question.dst[i], question.dst_device[i]);
    *engine = status == SMOOTHIMG_OK ? smoothimg_chosen(question.context) : "";
    if (status == SMOOTHIMG_OK)
        verdict = judge(&question, samples);
    else {
        verdict = is_refusal(status, &question) && is_untouched(&question) ? REFUSED : WRONG;
        if (verdict == WRONG)
            printf("  status %d: %s\n", (int)status, smoothimg_message(question.context));
        fault = verdict == WRONG ? "failure" : smoothimg_message(question.context);
    }
    if (verdict == RIGHT && !was_foretold(&question)) {
        verdict = WRONG;
        fault = "memory";
    }
    if (verdict == RIGHT && is_another(request, *engine)) {
        printf("  not by the engine that was asked for\n");
        verdict = WRONG;
        fault = "engine";
    }
    if (question.env_changed) {
        printf("  the caller's floating-point environment was changed\n");
        verdict = WRONG;
        fault = "environment";
    }
    close_question(&question);
    free(samples);
    return verdict;
}
