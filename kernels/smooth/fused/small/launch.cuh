/* SPDX-License-Identifier: MIT */
/* Launches fused_small, and says which images it takes. */
#ifndef SMOOTHIMG_FUSED_SMALL_LAUNCH_CUH
#define SMOOTHIMG_FUSED_SMALL_LAUNCH_CUH

#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/fused/small/kernel.cuh"

/* Return how many tiles an image has in a row of tiles, and how many in all. */
static inline int64_t small_tiles_x(const struct request *request)
{
    return blocks_for(request->dst.width * request->dst.channels,
                      small_columns(request->src.channels));
}

static inline int64_t small_tiles(const struct request *request)
{
    return small_tiles_x(request) * blocks_for(request->dst.height, SMALL_ROWS);
}

static inline int64_t images_of(const struct request *request)
{
    return max(request->images, (int64_t)1);
}

static inline const char *small_refuses(const struct request *request)
{
    const char *refusal = refuses_all_but_integers(request);

    if (refusal)
        return refusal;
    if (request->src.height > INT32_MAX / 2) /* the kernel counts rows in 32 bits */
        return "images have too many rows";
    return request->src.channels <= SMALL_MAX_CHANNELS && request->halo <= SMALL_MAX_HALO &&
                   small_reach((int)request->halo_x, request->src.channels) <= SMALL_MAX_REACH
               ? NULL
               : "channels or halos are too many";
}

/* Computes images first..first+count-1. */
template <typename Sample>
static void launch_small_images(const struct piece *piece, const small_filter &filter,
                                int64_t first, int64_t count)
{
    const int wide = small_columns(piece->src.channels) +
                     2 * small_reach((int)piece->request->halo_x, piece->src.channels);
    small_stack stack = {source_of(piece), piece->dst, piece->request->src_apart,
                         piece->request->dst_apart, (int)small_tiles_x(piece->request)};

    stack.src.origin = static_cast<char *>(stack.src.origin) + first * stack.src_apart;
    stack.dst.origin = static_cast<char *>(stack.dst.origin) + first * stack.dst_apart;
    LAUNCH(fused_small<Sample>, dim3((unsigned)small_tiles(piece->request), (unsigned)count),
           dim3((unsigned)(blocks_for(wide, 32) * 32), SMALL_ROWS / SMALL_RUN),
           SMALL_ROWS * small_slot(wide) * sizeof(double), piece->stream, stack, filter);
}

template <typename Sample> static const char *launch_small(const struct piece *piece)
{
    const small_filter filter = make_small_filter(piece->request);
    const int64_t images = images_of(piece->request), most = most_blocks_down();

    for (int64_t first = 0; first < images; first += most)
        launch_small_images<Sample>(piece, filter, first, min(images - first, most));
    return launched();
}

static inline const char *small_run(const struct piece *piece)
{
    return piece->src.sample_bytes == 1 ? launch_small<uint8_t>(piece)
                                        : launch_small<uint16_t>(piece);
}

#endif
