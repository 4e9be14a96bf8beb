/* SPDX-License-Identifier: MIT */
/* Several smooths in one kernel. A warp moves down a strip of columns. For each layer it keeps the
 * last 2 halo + 1 rows of the layer before in registers, 8 bytes of each a lane; a row that comes
 * in goes through all layers, each of which has its next row then, halo rows further up. Sums along
 * a row take the neighbours' columns from the lanes beside, by shuffles.
 *
 *     margin   lanes at either end of a warp whose results are wrong, since they lack neighbours:
 *              each layer loses halo more columns. They only serve as neighbours of the others.
 *     segment  rows of outputs of a warp; it begins layers * halo rows above
 *
 * What is outside of the image, in each layer: by reflect, mirror and wrap a layer is symmetric or
 * periodic around the edge, for ever, and a symmetric filter keeps it so, since the window of a
 * pixel outside has the same samples as that of its image inside, in the same or the opposite
 * order, which sums of integers do not tell. So these rules need only the first layer's pixels
 * outside, as far as all layers reach. Of clamp and zero each layer's are filled from its own
 * (layers_outside). */
#ifndef SMOOTHIMG_LAYERS_KERNEL_CUH
#define SMOOTHIMG_LAYERS_KERNEL_CUH

#include "kernels/smooth/layers/filter.cuh"
#include "kernels/smooth/layers/image.cuh"
#include "kernels/smooth/layers/repair.cuh"

#define FULL_WARP 0xffffffffu

/* How an image is cut into strips and segments, and what is outside of it. */
struct layers_plan {
    int segment_rows;
    bool src_aligned, dst_aligned; /* rows to 8 bytes */
    layers_border border;
};

template <typename Sample, int HALO, int CHANNELS, int LAYERS> struct layers_shape {
    static constexpr int columns = layer_numbers<Sample>::columns;
    static constexpr int reach = HALO * CHANNELS; /* samples, of a layer */
    static constexpr int margin = (LAYERS * reach + columns - 1) / columns;
    static constexpr int strip = (32 - 2 * margin) * columns; /* outputs of a warp in a row */
    static constexpr int rows = 2 * HALO + 1;                 /* of a window */
    static_assert(reach <= columns, "all neighbours are in the next lane");
};

/* Replaces what a layer has outside of the image, for clamp and zero. The pixel at the edge, which
 * clamp repeats, is in the warp: its columns are contiguous, they have outputs, which are inside,
 * and where they have pixels outside that are needed they have all between. The row at the edge
 * likewise: it comes after the rows above it, which are filled when it is there, and before those
 * below it. */
template <typename Sample, int CHANNELS> struct layers_outside {
    typedef typename layer_numbers<Sample>::real real;
    static constexpr int columns = layer_numbers<Sample>::columns;
    bool used; /* the same for the whole warp */
    bool clamp;
    int64_t height;
    uint32_t mask;      /* of the lane's columns that are outside */
    int edge[CHANNELS]; /* for its first columns: the column of the warp that they repeat */

    __device__ __forceinline__ layers_outside(const view &src, const layers_border &border,
                                              int64_t x, int64_t first)
    {
        const int64_t samples = src.width * CHANNELS;
        const int64_t pixel = x < 0 ? 0 : samples - CHANNELS;                 /* at the edge */
        const int channel = (int)((x + (int64_t)1024 * CHANNELS) % CHANNELS); /* of column 0 */

        clamp = border.edge == EDGE_CLAMP;
        used = clamp || border.edge == EDGE_ZERO;
        height = src.height;
        mask = 0;
#pragma unroll
        for (int i = 0; i < columns; i++)
            mask |= (x + i < 0 || x + i >= samples ? 1u : 0u) << i;
#pragma unroll
        for (int i = 0; i < CHANNELS; i++)
            edge[i] = (int)min(max(pixel - first + (channel + i) % CHANNELS, (int64_t)0),
                               (int64_t)(32 * columns - 1));
    }

    /* shared: 32 * columns reals, of the warp. */
    __device__ __forceinline__ void fill_columns(real (&row)[columns], real *shared) const
    {
        const int lane = (int)threadIdx.x % 32;
        real repeated[CHANNELS];

#pragma unroll
        for (int i = 0; i < columns; i++)
            shared[lane * columns + i] = row[i];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < CHANNELS; i++)
            repeated[i] = clamp ? shared[edge[i]] : (real)-layer_numbers<Sample>::middle;
        __syncwarp();
#pragma unroll
        for (int i = 0; i < columns; i++)
            row[i] = mask >> i & 1 ? repeated[i % CHANNELS] : row[i];
    }

    /* row: row y of the layer. ring: the rows before it, from the top. */
    template <int ROWS>
    __device__ __forceinline__ void fill(real (&row)[columns], real (&ring)[ROWS][columns],
                                         int64_t y, real *shared) const
    {
        if (__any_sync(FULL_WARP, mask != 0))
            fill_columns(row, shared);
        if (y == 0 && clamp) {
#pragma unroll
            for (int r = 0; r < ROWS; r++)
#pragma unroll
                for (int i = 0; i < columns; i++)
                    ring[r][i] = row[i];
        } else if (y < 0 || y >= height) {
#pragma unroll
            for (int i = 0; i < columns; i++)
                row[i] = clamp ? ring[ROWS - 1][i] : (real)-layer_numbers<Sample>::middle;
        }
    }
};

/* Makes room for a row. */
template <int ROWS, int COLUMNS, typename Real>
__device__ __forceinline__ void move_on(Real (&ring)[ROWS][COLUMNS])
{
#pragma unroll
    for (int r = 1; r < ROWS; r++)
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            ring[r - 1][i] = ring[r][i];
}

/* The sums down the columns: sums[reach + i] is that of the lane's column i; on either side are
 * those of the lanes beside it. newest: the index of the window's bottom row. */
template <typename Shape, typename Real>
__device__ __forceinline__ void sum_down(Real (&sums)[Shape::columns + 2 * Shape::reach],
                                         const Real (&ring)[Shape::rows][Shape::columns],
                                         int newest, const layers_filter<Real> &filter)
{
    constexpr int rows = Shape::rows, halo = rows / 2, columns = Shape::columns;
    constexpr int reach = Shape::reach;
    const int centre = newest + rows - halo;

#pragma unroll
    for (int i = 0; i < columns; i++)
        sums[reach + i] =
            weigh<halo>(filter.down, [&](int k) { return ring[(centre + k) % rows][i]; });
#pragma unroll
    for (int i = 0; i < reach; i++) {
        sums[i] = __shfl_up_sync(FULL_WARP, sums[columns + i], 1);
        sums[reach + columns + i] = __shfl_down_sync(FULL_WARP, sums[reach + i], 1);
    }
}

/* One row of a layer, from the window in the ring, whose bottom row is number `newest`. shared: for
 * repairs, of the warp. */
template <typename Sample, typename Shape, int CHANNELS, typename Real>
__device__ __forceinline__ void
smooth_layer(Real (&row)[Shape::columns], const Real (&ring)[Shape::rows][Shape::columns],
             int newest, const layers_filter<Real> &filter, Real *shared)
{
    typedef layer_numbers<Sample> numbers;
    constexpr int columns = Shape::columns, halo = Shape::rows / 2;
    Real sums[columns + 2 * Shape::reach], totals[columns];
    typename numbers::distance farthest = 0;

    sum_down<Shape>(sums, ring, newest, filter);
#pragma unroll
    for (int i = 0; i < columns; i++) {
        const Real *centre = sums + Shape::reach + i;

        totals[i] = weigh<halo>(filter.along, [&](int k) { return centre[k * CHANNELS]; });
        row[i] = fma(totals[i], filter.scale, numbers::whole) - numbers::whole;
        numbers::note(farthest, fma(totals[i], filter.scale, -row[i]));
    }
    if (__any_sync(FULL_WARP, numbers::reaches(farthest, filter.limit)))
        repair_row<Sample, CHANNELS>(row, totals, ring, newest, filter, shared);
}

/* Where a warp is: its columns, its outputs' rows, and the rows that it reads for them. */
struct layers_place {
    int64_t first, x; /* the first sample of the warp, and of the lane */
    int64_t left;     /* samples of the row from x on; 0 or less: the lane writes nothing */
    int64_t top;      /* the first row that comes in */
    int count;        /* rows that come in */
};

template <class Shape, int LAYERS>
__device__ __forceinline__ layers_place place_of_warp(const view &src, int segment_rows)
{
    constexpr int reach_down = LAYERS * (Shape::rows / 2);
    const int lane = (int)threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * Shape::strip - Shape::margin * Shape::columns;
    const int64_t x = first + lane * Shape::columns, y = (int64_t)blockIdx.y * segment_rows;
    const bool writes = lane >= Shape::margin && lane < 32 - Shape::margin;

    return {first, x, writes ? src.width * src.channels - x : 0, y - reach_down,
            (int)min((int64_t)segment_rows, src.height - y) + 2 * reach_down};
}

/* Whether all that the warp reads is there, aligned, and its outputs fill its lanes. */
template <class Shape>
__device__ __forceinline__ bool is_inside(const view &src, const layers_plan &plan,
                                          const layers_place &place)
{
    const int64_t samples = src.width * src.channels, last = place.first + 31 * Shape::columns;
    const int64_t halo = plan.border.filled ? plan.border.halo : 0;
    const bool beside = plan.border.filled ? place.first + Shape::columns > -halo * src.channels &&
                                                 last < samples + halo * src.channels
                                           : place.first >= 0 && last + Shape::columns <= samples;

    return plan.src_aligned && plan.dst_aligned && beside && place.top >= -halo &&
           place.top + place.count <= src.height + halo &&
           place.first + (32 - Shape::margin) * Shape::columns <= samples;
}

/* A segment. INSIDE: is_inside(); the loop is then unrolled over the window's rows, so that every
 * index into the rings is a constant. Elsewhere rows move on in the rings. */
template <bool INSIDE, typename Sample, int HALO, int CHANNELS, int LAYERS, class Filter>
__device__ __forceinline__ void march(const view &src, const view &dst, const Filter &filter,
                                      const layers_plan &plan, const layers_place &place,
                                      typename layer_numbers<Sample>::real *shared)
{
    typedef layers_shape<Sample, HALO, CHANNELS, LAYERS> shape;
    typedef typename layer_numbers<Sample>::real real;
    constexpr int columns = shape::columns, rows = shape::rows, phases = INSIDE ? rows : 1;
    layers_source<Sample, CHANNELS, LAYERS * shape::reach, INSIDE> source(
        src, plan.border, place.x, place.top, plan.src_aligned);
    const layers_outside<Sample, CHANNELS> outside(src, plan.border, place.x, place.first);
    Sample *out = row_of<Sample>(dst, place.top + LAYERS * HALO) + place.x;
    real ring[LAYERS][rows][columns] = {};
    uint64_t coming[phases]; /* bytes of rows that are on their way */

#pragma unroll
    for (int i = 0; i < phases; i++)
        coming[i] = source.load(); /* there are more rows than phases */
#pragma unroll 1
    for (int step = 0; step < place.count; step += phases)
#pragma unroll
        for (int phase = 0; phase < phases; phase++) {
            const int at = step + phase, newest = INSIDE ? phase : rows - 1;
            real row[columns];

            if (at >= place.count)
                break;
            layer_numbers<Sample>::unpack(row, coming[phase]);
            if (at + phases < place.count)
                coming[phase] = source.load();
#pragma unroll
            for (int layer = 0; layer < LAYERS; layer++) {
                if (!INSIDE && layer > 0 && outside.used)
                    outside.fill(row, ring[layer], place.top + at - layer * HALO, shared);
                if (!INSIDE)
                    move_on(ring[layer]);
#pragma unroll
                for (int i = 0; i < columns; i++)
                    ring[layer][newest][i] = row[i];
                smooth_layer<Sample, shape, CHANNELS>(row, ring[layer], newest, filter, shared);
            }
            if (at < 2 * LAYERS * HALO)
                continue;
            if (place.left > 0)
                store_samples<INSIDE>(out, layer_numbers<Sample>::pack(row), place.left,
                                      plan.dst_aligned);
            out = reinterpret_cast<Sample *>(reinterpret_cast<char *>(out) + dst.stride_bytes);
        }
}

/* A block is one warp. */
template <typename Sample, int HALO, int CHANNELS, int LAYERS>
__global__ void __launch_bounds__(32) smooth_layers(
    const view src, const view dst,
    const __grid_constant__ layers_filter<typename layer_numbers<Sample>::real> filter,
    const __grid_constant__ layers_plan plan)
{
    typedef layers_shape<Sample, HALO, CHANNELS, LAYERS> shape;
    typedef typename layer_numbers<Sample>::real real;
    __shared__ __align__(16) real shared[repair_reals<shape::rows, shape::columns>];
    const layers_place place = place_of_warp<shape, LAYERS>(src, plan.segment_rows);

    if (is_inside<shape>(src, plan, place))
        march<true, Sample, HALO, CHANNELS, LAYERS>(src, dst, filter, plan, place, shared);
    else
        march<false, Sample, HALO, CHANNELS, LAYERS>(src, dst, filter, plan, place, shared);
}

#endif
