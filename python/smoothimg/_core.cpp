/* SPDX-License-Identifier: MIT */
/* smoothimg._core: smoothimg.h for the package's Python, which checks arguments, finds addresses
 * and strides, and keeps the arrays alive while a call runs. */
#include "src/lib/smoothimg.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace nb = nanobind;

namespace
{

/* Bytes of a batch on the host between two looks for Ctrl-C: some milliseconds to half a second. */
constexpr int64_t STEP_BYTES = 16 << 20;

[[noreturn]] void raise(smoothimg_status status, const std::string &message)
{
    PyObject *type = PyExc_RuntimeError;

    if (status == SMOOTHIMG_INVALID)
        type = PyExc_ValueError;
    else if (status == SMOOTHIMG_NO_MEMORY)
        type = PyExc_MemoryError;
    else if (status == SMOOTHIMG_UNSUPPORTED)
        type = PyExc_NotImplementedError;
    PyErr_SetString(type, message.c_str());
    throw nb::python_error();
}

/* A context for images of the host (device -1) or of a device. One call at a time: a second thread
 * waits. */
class Context
{
  public:
    Context(int threads, int device)
    {
        smoothimg_status status = smoothimg_open(threads, &context);

        if (status != SMOOTHIMG_OK)
            raise(status,
                  status == SMOOTHIMG_INVALID ? "threads has to be 0 to 1024" : "no memory");
        if (device < 0)
            return;
        {
            nb::gil_scoped_release released;
            status = smoothimg_use_device(context, device);
        }
        if (status != SMOOTHIMG_OK) {
            const std::string message = smoothimg_message(context);
            smoothimg_close(context);
            raise(status, message);
        }
    }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;
    ~Context()
    {
        smoothimg_close(context);
    }

    smoothimg_context *context;
    std::mutex busy;
};

/* The weights of both axes. Halos and sigmas are (y, x). */
class Filter
{
  public:
    Filter(std::array<int64_t, 2> halo, std::array<double, 2> sigma, int norm, int edge, bool alpha,
           bool skip_nan)
    {
        smoothimg_filter_options options = {};
        smoothimg_context *context;
        smoothimg_status status = smoothimg_open(1, &context);
        std::string message = "no memory";

        options.halo_y = halo[0];
        options.halo_x = halo[1];
        options.sigma_y = sigma[0];
        options.sigma_x = sigma[1];
        options.norm = static_cast<smoothimg_norm>(norm);
        options.edge = static_cast<smoothimg_edge>(edge);
        options.alpha_weighted = alpha;
        options.skip_nan = skip_nan;
        if (status == SMOOTHIMG_OK) {
            status = smoothimg_filter_create(context, &options, &filter);
            message = smoothimg_message(context);
            smoothimg_close(context);
        }
        if (status != SMOOTHIMG_OK)
            raise(status, message);
    }
    Filter(const Filter &) = delete;
    Filter &operator=(const Filter &) = delete;
    ~Filter()
    {
        smoothimg_filter_free(filter);
    }

    smoothimg_filter *filter = nullptr;
};

/* Images in memory, as smoothimg._layout describes them. Strides are in bytes. */
struct Images {
    int64_t height, width; /* of the source */
    int64_t channels;
    int64_t sample_bytes;
    std::array<int64_t, 2> pitch;              /* source, destination */
    std::vector<std::array<int64_t, 3>> batch; /* extent, strides; the outermost first */
};

/* One call: the images of the batch, some at a time. */
class Work
{
  public:
    Work(Context &context, int op, const Filter *filter, const Images &images, bool device,
         uintptr_t stream)
        : context(context), op(op), filter(filter), batch(images.batch),
          sample_bytes(images.sample_bytes), device(device),
          stream(reinterpret_cast<void *>(stream))
    {
        describe(src, images, images.width, images.height, images.pitch[0]);
        if (op == SMOOTHIMG_TRANSPOSE)
            describe(dst, images, images.height, images.width, images.pitch[1]);
        else
            describe(dst, images, images.width, images.height, images.pitch[1]);
        if (batch.empty())
            batch.push_back({1, 0, 0});
    }

    /* The images from dimension `depth` of the batch on, whose first ones are at these addresses.
     */
    void run(size_t depth, uintptr_t from, uintptr_t to)
    {
        const auto [count, src_stride, dst_stride] = batch[depth];
        const int64_t together = depth + 1 == batch.size() ? joined() : 1;

        for (int64_t i = 0; i < count; i += together) {
            const uintptr_t from_here = from + static_cast<uintptr_t>(i * src_stride);
            const uintptr_t to_here = to + static_cast<uintptr_t>(i * dst_stride);

            if (depth + 1 < batch.size())
                run(depth + 1, from_here, to_here);
            else
                call(from_here, to_here, std::min(together, count - i));
        }
    }

  private:
    void describe(smoothimg_image &image, const Images &images, int64_t width, int64_t height,
                  int64_t pitch) const
    {
        image.width = width;
        image.height = height;
        image.pitch = pitch;
        image.channels = static_cast<int32_t>(images.channels);
        image.type = images.sample_bytes == 1   ? SMOOTHIMG_U8
                     : images.sample_bytes == 2 ? SMOOTHIMG_U16
                                                : SMOOTHIMG_F32;
        image.memory = device ? SMOOTHIMG_CUDA : SMOOTHIMG_HOST;
    }

    /* From the first byte of an image to its last. */
    int64_t extent(const smoothimg_image &image) const
    {
        const int64_t row = image.width * image.channels * sample_bytes;

        return std::max(image.pitch, row) * (image.height - 1) + row;
    }

    /* How many images of the innermost dimension go into one call. 1 if they are interleaved, which
     * the library does not take. */
    int64_t joined() const
    {
        const auto [count, src_stride, dst_stride] = batch.back();

        if (src_stride < extent(src) || dst_stride < extent(dst))
            return 1;
        return device ? count : std::max<int64_t>(STEP_BYTES / extent(src), 1);
    }

    void call(uintptr_t from, uintptr_t to, int64_t count)
    {
        smoothimg_status status;
        std::string message;

        src.data = reinterpret_cast<void *>(from);
        dst.data = reinterpret_cast<void *>(to);
        src.count = dst.count = count;
        src.stride = count > 1 ? batch.back()[1] : 0;
        dst.stride = count > 1 ? batch.back()[2] : 0;
        {
            nb::gil_scoped_release released;
            const std::lock_guard<std::mutex> lock(context.busy);

            status = compute();
            if (status != SMOOTHIMG_OK)
                message = smoothimg_message(context.context);
        }
        if (status != SMOOTHIMG_OK)
            raise(status, message);
        done_bytes += extent(src) * count;
        if (done_bytes >= STEP_BYTES && PyErr_CheckSignals() != 0)
            throw nb::python_error();
        done_bytes %= STEP_BYTES;
    }

    smoothimg_status compute() const
    {
        if (op == SMOOTHIMG_TRANSPOSE)
            return smoothimg_transpose(context.context, &src, &dst, stream);
        if (op == SMOOTHIMG_REVERSE)
            return smoothimg_reverse(context.context, &src, &dst, stream);
        return smoothimg_smooth(context.context, filter->filter, &src, &dst, stream);
    }

    Context &context;
    int op;
    const Filter *filter;
    std::vector<std::array<int64_t, 3>> batch;
    int64_t sample_bytes;
    bool device;
    void *stream;
    smoothimg_image src = {}, dst = {};
    int64_t done_bytes = 0; /* since the last look for signals */
};

void run(Context &context, int op, const Filter *filter, const Images &images, uintptr_t src,
         uintptr_t dst, std::optional<uintptr_t> stream)
{
    if (op == SMOOTHIMG_SMOOTH && !filter)
        raise(SMOOTHIMG_INVALID, "no filter");
    Work(context, op, filter, images, stream.has_value(), stream.value_or(0)).run(0, src, dst);
}

/* An array of the host; its memory stays where it is as long as this lives. */
class View
{
  public:
    View(nb::handle array, bool writable)
        : there(PyObject_GetBuffer(array.ptr(), &buffer,
                                   writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO) == 0)
    {
        if (!there)
            PyErr_Clear();
    }
    View(const View &) = delete;
    View &operator=(const View &) = delete;
    ~View()
    {
        if (there)
            PyBuffer_Release(&buffer);
    }

    uintptr_t address() const
    {
        return reinterpret_cast<uintptr_t>(buffer.buf);
    }

    /* The first byte and the one after the last, of an array that is not empty. */
    std::array<uintptr_t, 2> span() const
    {
        std::array<uintptr_t, 2> found = {address(), address()};

        for (int i = 0; i < buffer.ndim; i++)
            found[buffer.strides[i] > 0] +=
                static_cast<uintptr_t>(buffer.strides[i] * (buffer.shape[i] - 1));
        found[1] += static_cast<uintptr_t>(buffer.itemsize);
        return found;
    }

    Py_buffer buffer;
    bool there;
};

/* What arrays have in common that are alike. */
struct Kind {
    /* Of an array that has a buffer. */
    explicit Kind(const View &view)
        : format(view.buffer.format),
          shape(view.buffer.shape, view.buffer.shape + view.buffer.ndim),
          strides(view.buffer.strides, view.buffer.strides + view.buffer.ndim)
    {
    }

    bool has(const View &view) const
    {
        const Py_buffer &buffer = view.buffer;

        return static_cast<size_t>(buffer.ndim) == shape.size() && format == buffer.format &&
               std::equal(shape.begin(), shape.end(), buffer.shape) &&
               std::equal(strides.begin(), strides.end(), buffer.strides) &&
               view.address() % static_cast<uintptr_t>(buffer.itemsize) == 0;
    }

    std::string format;
    std::vector<Py_ssize_t> shape, strides;
};

/* A smooth of arrays of the host: what was found out about two serves for all that are alike. The
 * library must have smoothed these two themselves, and no copies. */
class Again
{
  public:
    Again(nb::object filter, const Images &images, nb::handle src, nb::handle dst)
        : kept(filter), filter(nb::cast<const Filter *>(filter)), images(images),
          src(View(src, false)), dst(View(dst, true))
    {
    }

    /* Smooths one array into the other, or returns false: they are of another kind, share memory,
     * or the result is read-only. */
    bool run(Context &context, nb::handle from, nb::handle to) const
    {
        const View in(from, false), out(to, true);

        if (!in.there || !out.there || !src.has(in) || !dst.has(out))
            return false;
        if (in.span()[0] < out.span()[1] && out.span()[0] < in.span()[1])
            return false;
        Work(context, SMOOTHIMG_SMOOTH, filter, images, false, 0)
            .run(0, in.address(), out.address());
        return true;
    }

  private:
    nb::object kept;
    const Filter *filter;
    Images images;
    Kind src, dst;
};

/* How an axis of an array is filtered: its halo, smoothimg.h's sigma, order and edge; sigma 0: it
 * is not.
 */
using Axis = std::tuple<int64_t, double, int, int>;

/* What is outside: exact, of whichever of the types can hold it. */
using Constant = std::variant<int64_t, uint64_t, double>;

/* The weights of a filter of arrays. */
class ArrayFilter
{
  public:
    ArrayFilter(int axes, const std::vector<std::vector<Axis>> &terms, bool magnitude,
                Constant outside)
    {
        smoothimg_array_filter_options options = {};
        std::vector<smoothimg_axis> all;
        smoothimg_context *context;
        smoothimg_status status = smoothimg_open(1, &context);
        std::string message = "no memory";

        for (const auto &term : terms)
            for (const auto &[halo, sigma, order, edge] : term)
                all.push_back({halo == 0 && sigma > 0 ? int64_t{SMOOTHIMG_NO_HALO} : halo, sigma,
                               order, static_cast<smoothimg_edge>(edge), 0});
        options.axes = axes;
        options.terms = static_cast<int>(terms.size());
        options.axis = all.data();
        options.combination = magnitude ? SMOOTHIMG_MAGNITUDE : SMOOTHIMG_ADD;
        if (const int64_t *integer = std::get_if<int64_t>(&outside))
            options.outside_i64 = *integer;
        else if (const uint64_t *large = std::get_if<uint64_t>(&outside))
            options.outside_u64 = *large;
        else
            options.outside = std::get<double>(outside);
        if (status == SMOOTHIMG_OK) {
            status = smoothimg_array_filter_create(context, &options, &filter);
            message = smoothimg_message(context);
            smoothimg_close(context);
        }
        if (status != SMOOTHIMG_OK)
            raise(status, message);
    }
    ArrayFilter(const ArrayFilter &) = delete;
    ArrayFilter &operator=(const ArrayFilter &) = delete;
    ~ArrayFilter()
    {
        smoothimg_array_filter_free(filter);
    }

    smoothimg_array_filter *filter = nullptr;
};

static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "shapes of buffers are smoothimg.h's");

smoothimg_array describe(const View &view, int type)
{
    smoothimg_array array = {};

    array.data = view.buffer.buf;
    array.axes = view.buffer.ndim;
    array.shape = reinterpret_cast<const int64_t *>(view.buffer.shape);
    array.strides = reinterpret_cast<const int64_t *>(view.buffer.strides);
    array.type = static_cast<smoothimg_type>(type);
    return array;
}

/* Releases the interpreter's lock while the library computes, or enqueues. */
void filter_arrays(Context &context, const ArrayFilter &filter, const smoothimg_array &src,
                   const smoothimg_array &dst, const int64_t *first, void *stream)
{
    smoothimg_status status;
    std::string message;

    {
        nb::gil_scoped_release released;
        const std::lock_guard<std::mutex> lock(context.busy);

        status = smoothimg_filter_array(context.context, filter.filter, &src, &dst, first, stream);
        if (status != SMOOTHIMG_OK)
            message = smoothimg_message(context.context);
    }
    if (status != SMOOTHIMG_OK)
        raise(status, message);
}

/* Types are smoothimg.h's numbers. first: where the result begins, of a part of it. */
void filter_array(Context &context, const ArrayFilter &filter, nb::handle from, int from_type,
                  nb::handle to, int to_type, const std::optional<std::vector<int64_t>> &first)
{
    const View in(from, false), out(to, true);

    if (!in.there || !out.there)
        raise(SMOOTHIMG_INVALID, "an array without a buffer");
    if (first && first->size() != static_cast<size_t>(in.buffer.ndim))
        raise(SMOOTHIMG_INVALID, "first has not one entry for each axis");
    filter_arrays(context, filter, describe(in, from_type), describe(out, to_type),
                  first ? first->data() : nullptr, nullptr);
}

/* An array on a device: its address, strides in bytes, and smoothimg.h's type. */
using Placed = std::tuple<uintptr_t, std::vector<int64_t>, int>;

smoothimg_array describe(const std::vector<int64_t> &shape, const Placed &placed)
{
    const auto &[address, strides, type] = placed;
    smoothimg_array array = {};

    if (strides.size() != shape.size())
        raise(SMOOTHIMG_INVALID, "strides have not one entry for each axis");
    array.data = reinterpret_cast<void *>(address);
    array.axes = static_cast<int>(shape.size());
    array.shape = shape.data();
    array.strides = strides.data();
    array.type = static_cast<smoothimg_type>(type);
    array.memory = SMOOTHIMG_CUDA;
    return array;
}

/* Both have that shape. */
void filter_placed(Context &context, const ArrayFilter &filter, const std::vector<int64_t> &shape,
                   const Placed &src, const Placed &dst, uintptr_t stream)
{
    filter_arrays(context, filter, describe(shape, src), describe(shape, dst), nullptr,
                  reinterpret_cast<void *>(stream));
}

} // namespace

NB_MODULE(_core, module)
{
    module.attr("MAX_HALO") = SMOOTHIMG_MAX_HALO;
    module.def("version", &smoothimg_version);
    nb::class_<Context>(module, "Context")
        .def(nb::init<int, int>(), nb::arg("threads"), nb::arg("device"));
    nb::class_<Filter>(module, "Filter")
        .def(nb::init<std::array<int64_t, 2>, std::array<double, 2>, int, int, bool, bool>(),
             nb::arg("halo"), nb::arg("sigma"), nb::arg("norm"), nb::arg("edge"), nb::arg("alpha"),
             nb::arg("skip_nan"));
    nb::class_<Images>(module, "Images")
        .def(
            "__init__",
            [](Images *made, int64_t height, int64_t width, int64_t channels, int64_t sample_bytes,
               std::array<int64_t, 2> pitch, std::vector<std::array<int64_t, 3>> batch) {
                new (made) Images{height, width, channels, sample_bytes, pitch, std::move(batch)};
            },
            nb::arg("height"), nb::arg("width"), nb::arg("channels"), nb::arg("sample_bytes"),
            nb::arg("pitch"), nb::arg("batch"));
    nb::class_<Again>(module, "Again")
        .def(nb::init<nb::object, const Images &, nb::handle, nb::handle>(), nb::arg("filter"),
             nb::arg("images"), nb::arg("src"), nb::arg("dst"))
        .def("run", &Again::run, nb::arg("context"), nb::arg("src"), nb::arg("dst"));
    nb::class_<ArrayFilter>(module, "ArrayFilter")
        .def(nb::init<int, const std::vector<std::vector<Axis>> &, bool, Constant>(),
             nb::arg("axes"), nb::arg("terms"), nb::arg("magnitude"), nb::arg("outside"));
    module.def("filter_array", &filter_array, nb::arg("context"), nb::arg("filter"), nb::arg("src"),
               nb::arg("src_type"), nb::arg("dst"), nb::arg("dst_type"), nb::arg("first").none());
    module.def("filter_placed", &filter_placed, nb::arg("context"), nb::arg("filter"),
               nb::arg("shape"), nb::arg("src"), nb::arg("dst"), nb::arg("stream"));
    module.def("run", &run, nb::arg("context"), nb::arg("op"), nb::arg("filter").none(),
               nb::arg("images"), nb::arg("src"), nb::arg("dst"), nb::arg("stream").none());
}
