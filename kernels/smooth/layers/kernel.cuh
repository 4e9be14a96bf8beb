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

/* How an image is cut. Strips 1..inside read nothing beside the image, and theirs are units of 8
 * bytes; the others are at the image's edges. The blocks of these come first. */
struct layers_plan {
    int64_t strips, inside;
    int64_t edge_blocks;
    int segment_rows, edge_rows; /* outputs of a warp inside; at the edges */
    int64_t above;               /* rows of src above the first of dst */
    bool dst_aligned;            /* rows to 8 bytes */
    enum edge edge;
};

template <typename Sample, int HALO, int CHANNELS, int LAYERS> struct layers_shape {
    static constexpr int columns = layer_numbers<Sample>::columns;
    static constexpr int reach = HALO * CHANNELS; /* samples, of a layer */
    static constexpr int margin = (LAYERS * reach + columns - 1) / columns;
    static constexpr int strip = (32 - 2 * margin) * columns; /* outputs of a warp in a row */
    static constexpr int rows = 2 * HALO + 1;                 /* of a window */
    /* Warps that shall fit on a multiprocessor, by the registers that all windows take. With so
     * many, march_inside() spills at most four registers, march_anywhere() more. */
    static constexpr int windows = LAYERS * rows * columns * layer_numbers<Sample>::words;
    static constexpr int resident = windows <= 80 ? 16 : 12; /* 16 is what older GPUs can have */
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
    bool used, beside; /* the same for the whole warp: any rows; columns too */
    bool clamp;
    int64_t height;
    uint32_t mask;      /* of the lane's columns that are outside */
    int edge[CHANNELS]; /* for its first columns: the column of the warp that they repeat */

    __device__ __forceinline__ layers_outside(const view &src, enum edge rule, int64_t x,
                                              int64_t first)
    {
        const int64_t samples = src.width * CHANNELS;
        const int64_t pixel = x < 0 ? 0 : samples - CHANNELS;                 /* at the edge */
        const int channel = (int)((x + (int64_t)1024 * CHANNELS) % CHANNELS); /* of column 0 */

        clamp = rule == EDGE_CLAMP;
        used = clamp || rule == EDGE_ZERO;
        height = src.height;
        mask = 0;
#pragma unroll
        for (int i = 0; i < columns; i++)
            mask |= (x + i < 0 || x + i >= samples ? 1u : 0u) << i;
        beside = __any_sync(FULL_WARP, mask != 0);
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
        if (beside)
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
    if (__builtin_expect(__any_sync(FULL_WARP, numbers::reaches(farthest, filter.limit)), 0))
        repair_row<Sample, CHANNELS>(row, totals, ring, newest, filter, shared);
}

/* Where a warp is: its columns, its outputs' rows, and the rows that it reads for them. */
struct layers_place {
    int64_t first, x; /* the first sample of the warp, and of the lane */
    int64_t left;     /* samples of the row from x on; 0 or less: the lane writes nothing */
    int64_t top;      /* the first row that comes in */
    int count;        /* rows that come in */
    /* Of these, the rows with which all layers are inside the image, none of them in its first row,
     * from which clamp fills rows above; none at all in a strip at an edge. */
    int inside_first, inside_last;
};

template <class Shape, int LAYERS>
__device__ __forceinline__ layers_place place_of_warp(const view &src, const view &dst,
                                                      const layers_plan &plan)
{
    constexpr int reach_down = LAYERS * (Shape::rows / 2);
    const bool inside = (int64_t)blockIdx.x >= plan.edge_blocks;
    const int64_t block = (int64_t)blockIdx.x - (inside ? plan.edge_blocks : 0);
    const int64_t strips = inside ? plan.inside : plan.strips - plan.inside;
    const int64_t across = block % strips, rows = inside ? plan.segment_rows : plan.edge_rows;
    const int64_t strip = inside ? across + 1 : across == 0 ? 0 : across + plan.inside;
    const int64_t y = block / strips * rows;
    const int lane = (int)threadIdx.x;
    const bool writes = lane >= Shape::margin && lane < 32 - Shape::margin;
    layers_place place;

    place.first = strip * Shape::strip - Shape::margin * Shape::columns;
    place.x = place.first + lane * Shape::columns;
    place.left = writes ? src.width * src.channels - place.x : 0;
    place.top = plan.above + y - reach_down;
    place.count = (int)min(rows, dst.height - y) + 2 * reach_down;
    place.inside_first =
        inside ? (int)min(max(reach_down - place.top, (int64_t)0), (int64_t)place.count)
               : place.count;
    place.inside_last = (int)min((int64_t)place.count, src.height - place.top);
    return place;
}

/* A warp on its way down a segment. Rows are counted from the first that comes in. */
template <typename Sample, int HALO, int CHANNELS, int LAYERS> struct layers_warp {
    typedef layers_shape<Sample, HALO, CHANNELS, LAYERS> shape;
    typedef layer_numbers<Sample> numbers;
    typedef typename numbers::real real;
    static constexpr int columns = shape::columns, rows = shape::rows;
    const view &src, &dst;
    const layers_filter<real> &filter;
    const layers_plan &plan;
    const layers_place &place;
    real *shared;
    char *out; /* the lane's next outputs */
    real ring[LAYERS][rows][columns];

    /* Puts a row into a layer's ring as number `newest`, and makes it the next layer's. */
    __device__ __forceinline__ void smooth(real (&row)[columns], int layer, int newest)
    {
#pragma unroll
        for (int i = 0; i < columns; i++)
            ring[layer][newest][i] = row[i];
        smooth_layer<Sample, shape, CHANNELS>(row, ring[layer], newest, filter, shared);
    }

    /* Writes a row of the last layer, after row `at` came in. */
    template <bool INSIDE> __device__ __forceinline__ void store(const real (&row)[columns], int at)
    {
        if (at < 2 * LAYERS * HALO)
            return;
        if (place.left > 0)
            store_samples<INSIDE>(reinterpret_cast<Sample *>(out), numbers::pack(row), place.left,
                                  plan.dst_aligned);
        out += dst.stride_bytes;
    }

    /* Rows at..end-1, wherever they are. They move on in the rings. Returns `end`. */
    __device__ __forceinline__ int march_anywhere(int at, int end)
    {
        if (at >= end)
            return at;
        const layers_outside<Sample, CHANNELS> outside(src, plan.edge, place.x, place.first);
        layers_samples<Sample, CHANNELS> source(src, plan.edge, place.x);

        source.fetch(place.top + at);
#pragma unroll 1
        for (; at < end; at++) {
            real row[columns];

#pragma unroll
            for (int i = 0; i < columns; i++)
                row[i] = numbers::number(source.coming[i]);
            if (at + 1 < end)
                source.fetch(place.top + at + 1);
#pragma unroll
            for (int layer = 0; layer < LAYERS; layer++) {
                if (outside.used)
                    outside.fill(row, ring[layer], place.top + at - layer * HALO, shared);
                move_on(ring[layer]);
                smooth(row, layer, rows - 1);
            }
            store<false>(row, at);
        }
        return at;
    }

    /* Rows from `at` on, a whole number of windows, as far as they are inside. The loop is unrolled
     * over the window's rows, so that every index into the rings is a constant and nothing moves.
     * Returns the next row. */
    __device__ __forceinline__ int march_inside(int at, int end)
    {
        const char *next =
            reinterpret_cast<const char *>(row_of<const Sample>(src, place.top + at) + place.x);
        uint64_t coming[rows]; /* bytes of rows that are on their way */

        if (at + rows > end)
            return at;
#pragma unroll
        for (int i = 0; i < rows; i++, next += src.stride_bytes)
            coming[i] = *reinterpret_cast<const uint64_t *>(next);
#pragma unroll 1
        for (; at + rows <= end; at += rows)
#pragma unroll
            for (int phase = 0; phase < rows; phase++, next += src.stride_bytes) {
                real row[columns];

                numbers::unpack(row, coming[phase]);
                if (at + phase + rows < end)
                    coming[phase] = *reinterpret_cast<const uint64_t *>(next);
#pragma unroll
                for (int layer = 0; layer < LAYERS; layer++)
                    smooth(row, layer, phase);
                store<true>(row, at + phase);
            }
        return at;
    }
};

/* A block is one warp. */
template <typename Sample, int HALO, int CHANNELS, int LAYERS>
__global__ void __launch_bounds__(32, layers_shape<Sample, HALO, CHANNELS, LAYERS>::resident)
    smooth_layers(
        const view src, const view dst,
        const __grid_constant__ layers_filter<typename layer_numbers<Sample>::real> filter,
        const __grid_constant__ layers_plan plan)
{
    typedef layers_warp<Sample, HALO, CHANNELS, LAYERS> warp_type;
    typedef typename warp_type::shape shape;
    __shared__ __align__(16)
        typename warp_type::real shared[repair_reals<shape::rows, shape::columns>];
    const layers_place place = place_of_warp<shape, LAYERS>(src, dst, plan);
    char *const out = reinterpret_cast<char *>(
        row_of<Sample>(dst, place.top + LAYERS * HALO - plan.above) + place.x);
    warp_type warp = {src, dst, filter, plan, place, shared, out, {}};
    int at = 0;

    /* Above the image and its first rows, inside, and below. In a loop, so that the compiler keeps
     * one copy of what is done at both ends. */
#pragma unroll 1
    for (int part = 0; part < 2; part++) {
        at = warp.march_anywhere(at, part == 0 ? place.inside_first : place.count);
        if (part == 0)
            at = warp.march_inside(at, place.inside_last);
    }
}

#endif
