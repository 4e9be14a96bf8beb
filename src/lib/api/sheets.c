/* SPDX-License-Identifier: MIT */
#include "src/lib/api/sheets.h"

#include "kernels/common/numbers.h"
#include "kernels/common/engine.h"

#define UNIT 16                          /* pixels: a multiple of 16 bytes, whatever a pixel has */
#define MIN_TILE 32                      /* pixels, of a frame's tiles */
#define SHEET_WIDTH 2048                 /* pixels, about */
#define ROW_UNIT 256                     /* bytes: alignment of a sheet's rows */
#ifndef FRAME_BYTES                      /* tests have less, of both */
#define FRAME_BYTES ((int64_t)24 << 20)  /* of an image: below it, copying all of it is faster */
#define SHEET_BYTES ((int64_t)128 << 20) /* of a sheet with several images, at most */
#define STACKED_BYTES                                                                              \
    ((int64_t)4 << 20) /* of each of several: up to it, copies take less time than                 \
                          a launch for each */
#endif

static int64_t bytes_of_image(const struct call *call)
{
    return call->src.height * call->src.width * pixel_bytes_of(call);
}

/* The bytes before a cell's border that put the first pixel where the variant likes it best. */
static int64_t lead_of(const struct call *call, const struct sheet *sheet)
{
    const struct job job = call_job(call, 0, 0, call->src.height);
    const int64_t phase = src_phase_of(call_variant(call, &job), &job);
    const int64_t rest = (phase - sheet->halo * pixel_bytes_of(call)) % UNIT;

    return rest < 0 ? rest + UNIT : rest;
}

/* The edge of a frame's tiles, in pixels, and so where the interior begins: its results had best
 * begin at a multiple of 16 bytes. */
static int64_t tile_of_frame(const struct call *call, int64_t halo)
{
    const int64_t least = max(halo, MIN_TILE), pixel_bytes = pixel_bytes_of(call);

    for (int64_t tile = least; tile < least + UNIT; tile++)
        if (((uintptr_t)call->dst.data + (uintptr_t)(tile * pixel_bytes)) % UNIT == 0)
            return tile;
    return least;
}

/* Gives each tile a cell. */
static void lay_out_cells(const struct call *call, struct sheet *sheet)
{
    const int64_t tiles = sheet_tiles(sheet);

    sheet->lead = lead_of(call, sheet);
    sheet->cell_width = round_up(sheet->tile_width + 2 * sheet->halo + UNIT, UNIT);
    sheet->cell_height = sheet->tile_height + 2 * sheet->halo;
    sheet->cells_x = min(max(SHEET_WIDTH / sheet->cell_width, 1), tiles);
    sheet->cells_y = (tiles - 1) / sheet->cells_x + 1;
    sheet->pitch = round_up(sheet->cells_x * sheet->cell_width * pixel_bytes_of(call), ROW_UNIT);
}

/* Each image is a tile. */
static struct sheet whole_images(const struct call *call, int64_t images)
{
    struct sheet sheet = {.halo = call_halo(call),
                          .tile_width = call->src.width,
                          .tile_height = call->src.height,
                          .tiles_x = 1,
                          .tiles_y = 1,
                          .hole_x = 1,
                          .hole_y = 1,
                          .count = images};

    lay_out_cells(call, &sheet);
    return sheet;
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

/* Whether to leave an image where it is, but for its frame, which it sets. */
static bool frame_pays(const struct call *call, struct sheet *frame)
{
    const int64_t rows = bytes_of_image(call);

    if (rows < FRAME_BYTES)
        return false;
    *frame = frame_of(call);
    return frame->hole_x > 1 && frame->hole_y > 1 &&
           frame->cells_y * frame->cell_height * frame->pitch <= rows / 4;
}

/* Whether the images are computed where they are: all by one call of the variant, or each by one
 * of its own. bare: they have no border. */
static bool needs_no_sheet(const struct call *call, int64_t images, bool bare)
{
    const struct job job = call_stack(call, images, bare);

    if (takes_stack(call_variant(call, &job), &job))
        return true;
    return !bare && (images == 1 || bytes_of_image(call) > STACKED_BYTES);
}

struct sheet_plan plan_sheet(const struct call *call, int64_t images)
{
    const int64_t halo = call_halo(call);
    struct sheet_plan plan = {
        .images = images, .right = call->src.width, .bottom = call->src.height};

    plan.bare = halo > 0 && call->src.border < halo;
    if (halo == 0 || needs_no_sheet(call, images, plan.bare))
        return plan;
    plan.bare = false;
    if (frame_pays(call, &plan.sheet)) {
        plan.images = 1;
        plan.left = plan.top = plan.sheet.tile_width;
        plan.right = plan.sheet.hole_x * plan.sheet.tile_width;
        plan.bottom = plan.sheet.hole_y * plan.sheet.tile_height;
        plan.scattered = true;
        return plan;
    }
    plan.right = plan.bottom = 0;
    plan.sheet = whole_images(call, 1);
    plan.images = min(images, max(SHEET_BYTES / (plan.sheet.pitch * plan.sheet.cell_height), 1));
    plan.scattered = plan.images > 1;
    if (plan.scattered)
        plan.sheet = whole_images(call, plan.images);
    return plan;
}

int64_t sheet_bytes(const struct sheet_plan *plan)
{
    return plan->sheet.count == 0
               ? 0
               : plan->sheet.cells_y * plan->sheet.cell_height * plan->sheet.pitch;
}

struct view result_view(const struct call *call, const struct sheet_plan *plan, char *memory)
{
    const struct sheet *sheet = &plan->sheet;
    struct view view = image_view(&call->dst, 0, 0, 1);

    view.origin = memory;
    view.width = (sheet->cells_x - 1) * sheet->cell_width + sheet->tile_width;
    view.height = (sheet->cells_y - 1) * sheet->cell_height + sheet->tile_height;
    view.stride_bytes = sheet->pitch;
    return view;
}

struct view sheet_view(const struct call *call, const struct sheet_plan *plan, char *memory)
{
    const struct sheet *sheet = &plan->sheet;

    return result_view(call, plan,
                       memory + sheet->halo * (sheet->pitch + pixel_bytes_of(call)) + sheet->lead);
}
