/* SPDX-License-Identifier: MIT */
#include "src/lib/api/device_plan.h"

#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"

#define MIN_TILE 32         /* pixels, of a frame's tiles */
#define SHEET_WIDTH 2048    /* pixels, about */
#define MEMORY_UNIT 256     /* bytes: alignment of the parts of the memory, and of a sheet's rows */
#define LEAST_BAND_HALOS 16 /* rows of a band, in halos: the halo's own are copied twice */
#ifndef FRAME_BYTES         /* tests have less, of all */
#define FRAME_BYTES ((int64_t)24 << 20)  /* of an image: below it, copying all of it is faster */
#define SHEET_BYTES ((int64_t)128 << 20) /* of a sheet, at most: of images, or a band */
#define STACKED_BYTES                                                                              \
    ((int64_t)4 << 20) /* of each of several: up to it, copies take less time than                 \
                          a launch for each */
#endif

static int64_t bytes_of_image(const struct call *call)
{
    return call->src.height * call->src.width * pixel_bytes_of(call);
}

static struct piece first_piece(const struct device_plan *plan)
{
    return (struct piece){0, plan->images, 0, plan->rows};
}

struct job inner_job(const struct call *call, const struct device_plan *plan,
                     const struct piece *piece)
{
    struct job job = call_job(call, piece->image, plan->top, plan->bottom);
    const int64_t left = plan->left * pixel_bytes_of(call);

    job.images = piece->images;
    job.src_apart = call->src.stride;
    job.dst_apart = call->dst.stride;
    if (plan->bare)
        job.beside = (struct beside){0};
    if (call->op != OP_SMOOTH) {
        job.dst.height = call->dst.height;
        return job;
    }
    job.src.origin = (char *)job.src.origin + left;
    job.dst.origin = (char *)job.dst.origin + left;
    job.src.width = job.dst.width = plan->right - plan->left;
    return job;
}

struct sheet sheet_of(const struct device_plan *plan, const struct piece *piece)
{
    struct sheet sheet = plan->sheet;

    sheet.count = piece->images;
    sheet.top = piece->top;
    if (piece->rows < plan->rows) {
        sheet.tile_height = piece->rows;
        sheet.cell_height = piece->rows + 2 * sheet.halo;
    }
    sheet.cells_y = (sheet_tiles(&sheet) - 1) / sheet.cells_x + 1;
    return sheet;
}

static int64_t sheet_bytes(const struct sheet *sheet)
{
    return sheet->cells_y * sheet->cell_height * sheet->pitch;
}

/* A sheet in `memory`, as one image, of the kind of `like`. */
static struct view view_of(const struct sheet *sheet, struct view like, char *memory)
{
    like.origin = memory;
    like.width = (sheet->cells_x - 1) * sheet->cell_width + sheet->tile_width;
    like.height = (sheet->cells_y - 1) * sheet->cell_height + sheet->tile_height;
    like.stride_bytes = sheet->pitch;
    return like;
}

struct job outer_job(const struct call *call, const struct device_plan *plan,
                     const struct piece *piece, char *memory)
{
    const struct sheet sheet = sheet_of(plan, piece);
    struct job job = call_job(call, piece->image, piece->top, piece->top + piece->rows);
    char *const first = memory + plan->sheet_at + sheet.lead +
                        sheet.halo * (sheet.pitch + pixel_bytes_of(call)); /* inside its border */

    job.src = view_of(&sheet, job.src, first);
    if (plan->scattered)
        job.dst = view_of(&sheet, job.dst, memory + plan->result_at);
    return job;
}

/* Plans an engine for such jobs, as if they lay where it prefers. */
static enum status plan_engine(const struct call *call, const struct job *job, struct part *part,
                               struct error *error)
{
    struct job nowhere = *job;

    nowhere.src.origin = NULL;
    return engine_plan_make(call_variant(call, &nowhere), &nowhere, &part->engine, error);
}

/* Whether the engine that is planned for a job computes it where it lies, and that of each other
 * image of the call. */
static bool all_lie_well(const struct call *call, const struct part *part, struct job job)
{
    job.images = call->src.count;
    job.src_apart = call->src.stride;
    job.dst_apart = call->dst.stride;
    return lies_well(part->engine.engine, &job);
}

/* Whether one run of an engine computes all images of a job, wherever they lie. */
static bool are_one_job(const struct call *call, const struct job *job)
{
    struct job nowhere = *job;

    nowhere.src.origin = NULL;
    return takes_stack(engine_for(call_variant(call, &nowhere), &nowhere), &nowhere);
}

/* Whether all is computed where it is: by one run of the engine, or by one for each image. */
static bool needs_no_sheet(const struct call *call, const struct device_plan *plan,
                           const struct job *job)
{
    const bool alone = job->images == 1 || bytes_of_image(call) > STACKED_BYTES;

    if (call_halo(call) > 0 && (plan->bare || !alone) && !are_one_job(call, job))
        return false;
    return all_lie_well(call, &plan->inner, *job);
}

/* Gives each tile a cell. */
static void lay_out_cells(const struct call *call, struct sheet *sheet)
{
    const int64_t tiles = sheet_tiles(sheet);

    sheet->cell_width = round_up(sheet->tile_width + 2 * sheet->halo + PLACE_UNIT, PLACE_UNIT);
    sheet->cell_height = sheet->tile_height + 2 * sheet->halo;
    sheet->cells_x = min(max(SHEET_WIDTH / sheet->cell_width, 1), tiles);
    sheet->cells_y = (tiles - 1) / sheet->cells_x + 1;
    sheet->pitch = round_up(sheet->cells_x * sheet->cell_width * pixel_bytes_of(call), MEMORY_UNIT);
}

/* Each image, or a band of one, is a tile. */
static struct sheet whole_tiles(const struct call *call, int64_t images, int64_t rows)
{
    struct sheet sheet = {.halo = call_halo(call),
                          .tile_width = call->src.width,
                          .tile_height = rows,
                          .tiles_x = 1,
                          .tiles_y = 1,
                          .hole_x = 1,
                          .hole_y = 1,
                          .count = images};

    lay_out_cells(call, &sheet);
    return sheet;
}

/* Plans the engine of the sheet, which gets the bytes before a cell's border that put the first
 * pixel where the engine prefers it. */
static enum status plan_outer(const struct call *call, struct device_plan *plan,
                              struct error *error)
{
    const struct piece first = first_piece(plan);
    struct job job = outer_job(call, plan, &first, NULL);
    const enum status status = plan_engine(call, &job, &plan->outer, error);
    int64_t phase;

    if (status != STATUS_OK)
        return status;
    phase = src_phase_of(plan->outer.engine.engine, &job);
    plan->sheet.lead = (phase - plan->sheet.halo * pixel_bytes_of(call)) & (PLACE_UNIT - 1);
    return STATUS_OK;
}

/* On sheets of whole images, or of a band of a large one. */
static enum status plan_sheets(const struct call *call, struct device_plan *plan,
                               struct error *error)
{
    const struct sheet row = whole_tiles(call, 1, 1), whole = whole_tiles(call, 1, plan->rows);
    enum status status;
    struct piece first;
    struct job job;

    plan->right = plan->bottom = 0;
    plan->images = min(plan->images, max(SHEET_BYTES / sheet_bytes(&whole), 1));
    plan->rows = min(plan->rows, max(SHEET_BYTES / row.pitch, LEAST_BAND_HALOS * row.halo));
    plan->scattered = plan->images > 1;
    plan->sheet = whole_tiles(call, plan->images, plan->rows);
    status = plan_outer(call, plan, error);
    if (status != STATUS_OK)
        return status;
    first = first_piece(plan);
    job = outer_job(call, plan, &first, (char *)MEMORY_UNIT);
    plan->scattered = plan->scattered || !all_lie_well(call, &plan->outer, job);
    return STATUS_OK;
}

/* The edge of a frame's tiles, in pixels, and so where the interior begins: its results had best
 * begin at a multiple of 16 bytes. */
static int64_t tile_of_frame(const struct call *call, int64_t halo)
{
    const int64_t least = max(halo, MIN_TILE), pixel_bytes = pixel_bytes_of(call);

    for (int64_t tile = least; tile < least + PLACE_UNIT; tile++)
        if (((uintptr_t)call->dst.data + (uintptr_t)(tile * pixel_bytes)) % PLACE_UNIT == 0)
            return tile;
    return least;
}

/* The tiles at the edges of an image: those whose border is not all inside. */
static struct sheet frame_of(const struct call *call)
{
    const int64_t halo = call_halo(call);
    const int64_t tile = tile_of_frame(call, halo);
    struct sheet sheet = {.halo = halo,
                          .tile_width = tile,
                          .tile_height = tile,
                          .tiles_x = (call->src.width - 1) / tile + 1,
                          .tiles_y = (call->src.height - 1) / tile + 1,
                          .hole_x = max((call->src.width - halo) / tile, 1),
                          .hole_y = max((call->src.height - halo) / tile, 1),
                          .count = 1};

    lay_out_cells(call, &sheet);
    return sheet;
}

/* Plans to leave an image where it is, but for its frame. *pays: whether that is quicker. */
static enum status plan_frame(const struct call *call, struct device_plan *plan, bool *pays,
                              struct error *error)
{
    const struct sheet frame = frame_of(call);
    const int64_t tile = frame.tile_width;
    const struct piece whole = {0, 1, 0, plan->rows};
    enum status status;
    struct job job;

    *pays = bytes_of_image(call) >= FRAME_BYTES && frame.hole_x > 1 && frame.hole_y > 1 &&
            sheet_bytes(&frame) <= bytes_of_image(call) / 4;
    if (!*pays)
        return STATUS_OK;
    plan->images = 1;
    plan->left = plan->top = tile;
    plan->right = frame.hole_x * tile;
    plan->bottom = frame.hole_y * tile;
    plan->sheet = frame;
    plan->scattered = true;
    job = inner_job(call, plan, &whole);
    status = plan_engine(call, &job, &plan->inner, error);
    *pays = status == STATUS_OK && all_lie_well(call, &plan->inner, job);
    return *pays ? plan_outer(call, plan, error) : status;
}

static int64_t scratch_bytes(const struct part *part, const struct job *job)
{
    const struct job planned = engine_plan_job(&part->engine, job);

    return round_up((int64_t)scratch_bytes_of(part->engine.engine, &planned), MEMORY_UNIT);
}

/* Gives each part its memory. */
static void lay_out(const struct call *call, struct device_plan *plan)
{
    const struct piece first = first_piece(plan);
    const int64_t bytes = plan->sheet.count > 0 ? sheet_bytes(&plan->sheet) : 0;
    struct job job = inner_job(call, plan, &first);

    plan->sheet_at = plan->right > 0 ? scratch_bytes(&plan->inner, &job) : 0;
    plan->result_at = plan->sheet_at + bytes;
    plan->outer.scratch = plan->result_at + (plan->scattered ? bytes : 0);
    plan->bytes = plan->outer.scratch;
    if (bytes > 0) {
        job = outer_job(call, plan, &first, (char *)MEMORY_UNIT);
        plan->bytes += scratch_bytes(&plan->outer, &job);
    }
}

enum status device_plan_make(const struct call *call, struct device_plan *plan, struct error *error)
{
    const struct images *src = &call->src;
    const struct piece all = {0, src->count, 0, src->height};
    enum status status;
    struct job job;
    bool pays;

    *plan = (struct device_plan){.images = src->count,
                                 .rows = src->height,
                                 .right = src->width,
                                 .bottom = src->height,
                                 .bare = images_border(src) < call_halo(call)};
    job = inner_job(call, plan, &all);
    status = plan_engine(call, &job, &plan->inner, error);
    if (status == STATUS_OK && !needs_no_sheet(call, plan, &job)) {
        struct device_plan framed = *plan;

        plan->bare = framed.bare = false;
        status = plan_frame(call, &framed, &pays, error);
        if (pays)
            *plan = framed;
        else if (status == STATUS_OK)
            status = plan_sheets(call, plan, error);
    }
    if (status == STATUS_OK)
        lay_out(call, plan);
    return status;
}
