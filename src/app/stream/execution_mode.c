/* SPDX-License-Identifier: MIT */
#include "routes.h"

#include "band_plan.h"
#include "clock.h"
#include "operations.h"
#include "strips.h"
#include "words.h"

/* What route_image was given. */
struct route {
    const struct pipeline *pipeline;
    struct source *source;
    struct writer *writer;
    const struct image *about;
    struct report *report;
};

/* The ways: how much memory one takes, how it is called when that is too much, what would need
 * less, and the way itself. */
struct way {
    int64_t (*bytes)(const struct route *route);
    const char *(*name)(const struct route *route);
    void (*remedies)(const struct route *route, struct word_list *list);
    enum status (*go)(const struct route *route, struct error *error);
};

/* --- As a whole: every image can be read, worked on and written in memory. */

/* The bytes, and by how many threads. */
static int64_t whole_needs(const struct route *route, int *threads)
{
    const struct sink *sink = &route->writer->sink;
    const int64_t each = sink_takes_bands(sink) ? sink_wants(sink, route->about).bytes : 0;

    return operations_needs(route->pipeline, route->about, each, threads);
}

static int64_t whole_bytes(const struct route *route)
{
    int unused;

    return whole_needs(route, &unused);
}

static const char *whole_name(const struct route *route)
{
    (void)route;
    return "in memory as a whole";
}

static void whole_remedies(const struct route *route, struct word_list *list)
{
    const struct options *options = route->pipeline->options;
    const struct variant *variant = route->pipeline->variants[0];

    if (options->op_count > 1)
        words_add(list, "with one --op at a time");
    if (options->verify)
        words_add(list, "without --verify");
    if (variant->reference || variant->place != ON_CPU)
        words_add(list, "with --variant cpu");
    if (variant->op == OP_TRANSPOSE && !source_has_columns(route->source))
        words_add(list, "from a file of raw PGM, PPM or PAM");
    if (!sink_takes_bands(&route->writer->sink))
        words_add(list, "into a file of PNG or raw PGM, PPM or PAM");
}

static enum status go_whole(const struct route *route, struct error *error)
{
    const struct options *options = route->pipeline->options;
    struct report *report = route->report;
    double start = clock_seconds();
    struct image image;
    enum status status;
    int threads;

    whole_needs(route, &threads);
    status =
        source_load(route->source, route->about, halo_before(options, 0), threads, &image, error);
    report_stage(&report->read, start, 0);
    if (status == STATUS_OK)
        status = operations_run(route->pipeline, threads, &image, report, error);
    if (status == STATUS_OK) {
        start = clock_seconds();
        route->writer->sink.options.threads = threads;
        status = writer_put(route->writer, &image, error);
        report_stage(&report->write, start, image_bytes(&image));
    }
    image_free(&image);
    return status;
}

static const struct way whole = {whole_bytes, whole_name, whole_remedies, go_whole};

/* --- In bands of rows: one smooth or reverse, from file to file. */

static struct bands bands_of(const struct route *route)
{
    const struct options *options = route->pipeline->options;

    return (struct bands){
        .variant = route->pipeline->variants[0],
        .lanes = chooser_lanes(route->pipeline->chooser),
        .weights = route->pipeline->weights,
        .halo = halo_before(options, 0),
        .weighted = weighs_at(options, 0, route->about),
        .edge = options->filter.edge,
        .threads = (int)options->threads,
        .block = (int)options->block,
        .max_bytes = route->pipeline->budget->limit,
    };
}

static int64_t bytes_in_bands(const struct route *route)
{
    const struct bands bands = bands_of(route);
    struct sink sink = route->writer->sink;
    const struct sink_wants wants = sink_wants(&sink, route->about);
    struct band_plan plan;

    sink.unit = wants.unit; /* as it will be, once it has begun */
    sink.lead = wants.lead;
    plan = band_plan_make(&bands, route->source, &sink, route->about);
    return bands_bytes(&bands, route->source, &sink, route->about, plan.threads, plan.rows);
}

/* Must all rows be there before the first is done, as the source has them in order? */
static bool keeps_all(const struct route *route)
{
    const struct options *options = route->pipeline->options;
    const enum row_order order = route->source->order;

    return order == ROWS_AT_ONCE || (order == ROWS_IN_ORDER && (options->ops[0] == OP_REVERSE ||
                                                                options->filter.edge == EDGE_WRAP));
}

static const char *bands_name(const struct route *route)
{
    return keeps_all(route) ? "of which all rows are wanted before the first is done" : "in bands";
}

static void bands_remedies(const struct route *route, struct word_list *list)
{
    if (keeps_all(route))
        words_add(list, "from a file of raw PGM, PPM or PAM");
    else if (halo_before(route->pipeline->options, 0) > 0)
        words_add(list, "with a smaller --halo");
}

static enum status go_in_bands(const struct route *route, struct error *error)
{
    const struct bands bands = bands_of(route);
    struct bands_times times = {0};
    const enum status status =
        bands_run(&bands, route->source, &route->writer->sink, route->about, &times, error);

    report_overlapped(route->report, &times, image_bytes(route->about));
    return status;
}

static const struct way in_bands = {bytes_in_bands, bands_name, bands_remedies, go_in_bands};

/* --- In strips of columns: one transpose, from a raw file. */

static struct strips strips_of(const struct route *route)
{
    return (struct strips){
        .variant = route->pipeline->variants[0],
        .threads = (int)route->pipeline->options->threads,
        .max_bytes = route->pipeline->budget->limit,
    };
}

static int64_t bytes_in_strips(const struct route *route)
{
    const struct strips strips = strips_of(route);

    return strips_bytes(&strips, &route->writer->sink, route->about);
}

static const char *strips_name(const struct route *route)
{
    (void)route;
    return "in strips of columns";
}

static void strips_remedies(const struct route *route, struct word_list *list)
{
    if (!sink_has_columns(&route->writer->sink))
        words_add(list, "into a file of raw PGM, PPM or PAM, without --checksum");
}

static enum status go_in_strips(const struct route *route, struct error *error)
{
    const struct strips strips = strips_of(route);
    struct bands_times times = {0};
    const enum status status =
        strips_run(&strips, route->source, &route->writer->sink, route->about, &times, error);

    report_overlapped(route->report, &times, image_bytes(route->about));
    return status;
}

static const struct way in_strips = {bytes_in_strips, strips_name, strips_remedies, go_in_strips};

/* --- Which of them. */

/* Bands and strips are also the faster ways: what they need stays in the caches, and one thread
 * reads while another computes. */
static const struct way *choose_way(const struct route *route)
{
    const struct options *options = route->pipeline->options;
    const struct variant *variant = route->pipeline->variants[0];

    if (options->op_count > 1 || options->verify || variant->reference ||
        !sink_takes_bands(&route->writer->sink))
        return &whole;
    if (variant->op != OP_TRANSPOSE)
        return &in_bands;
    return variant->place == ON_CPU && source_has_columns(route->source) ? &in_strips : &whole;
}

/* An image that auto would give to a GPU as a whole may be possible on the processor alone. */
static void settle(const struct route *route)
{
    if (choose_way(route) == &whole && whole_bytes(route) > route->pipeline->budget->limit)
        chooser_settle_for_cpu(route->pipeline->chooser, "too large for --max-memory as a whole");
}

static enum status take_memory(const struct route *route, const struct way *way, int64_t bytes,
                               struct error *error)
{
    struct word_list list = {0};
    char what[512], remedy[sizeof(struct phrase) + 32] = "";

    way->remedies(route, &list);
    snprintf(what, sizeof what, "%s: %lld x %lld pixels, %s,", route->source->name,
             (long long)route->about->view.width, (long long)route->about->view.height,
             way->name(route));
    if (list.count > 0)
        snprintf(remedy, sizeof remedy, "; less is needed %s", words_joined(&list, "and").text);
    return budget_take(route->pipeline->budget, bytes, what, remedy, error);
}

enum status route_image(const struct pipeline *pipeline, struct source *source,
                        struct writer *writer, const struct image *about, struct report *report,
                        struct error *error)
{
    const struct route route = {pipeline, source, writer, about, report};
    enum status status = writer_check(writer, about, error);
    const struct way *way;
    int64_t bytes;

    report->format = writer->sink.format;
    if (status != STATUS_OK)
        return status;
    chooser_choose(pipeline->chooser, about);
    settle(&route);
    way = choose_way(&route);
    bytes = way->bytes(&route);
    status = take_memory(&route, way, bytes, error);
    if (status != STATUS_OK)
        return status;
    status = way->go(&route, error);
    budget_give(pipeline->budget, bytes);
    return status;
}
