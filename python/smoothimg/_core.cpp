/* SPDX-License-Identifier: MIT */
/* smoothimg._core: gives the functions of smoothimg.h to the package's Python code. The Python code
 * checks arguments and keeps arrays alive during calls. */
#include "src/lib/smoothimg.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <variant>
#include <vector>

namespace nb = nanobind;

namespace
{

[[noreturn]] void raise(smoothimg_status status, const std::string &message)
{
    /* The exceptions for the values of smoothimg_status from SMOOTHIMG_INVALID on. */
    PyObject *const types[] = {PyExc_ValueError, PyExc_MemoryError, PyExc_NotImplementedError,
                               PyExc_RuntimeError, PyExc_RuntimeError};

    PyErr_SetString(types[status - SMOOTHIMG_INVALID], message.c_str());
    throw nb::python_error();
}

/* A deleter for std::unique_ptr: frees an object of the library by `function`. */
template <auto function> struct Freed {
    template <typename Object> void operator()(Object *object) const
    {
        function(object);
    }
};

/* A context of the library, for arrays in the host's memory (`device` is -1), or for a stream of a
 * device. It runs one call at a time; other threads that use the context wait. */
class Context
{
  public:
    Context(int threads, int device, uintptr_t stream)
        : threads(threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency())),
          stream(reinterpret_cast<void *>(stream))
    {
        smoothimg_context *made;
        const smoothimg_status status = smoothimg_open(threads, &made);

        if (status != SMOOTHIMG_OK)
            raise(status, "no memory");
        opened.reset(made);
        if (device >= 0)
            run([&](smoothimg_context *context) { return smoothimg_use_device(context, device); });
    }

    /* Makes a call of the library without the interpreter's lock. Raises a Python exception if the
     * call fails. */
    template <typename Call> void run(const Call &call)
    {
        smoothimg_status status;
        std::string message;

        {
            nb::gil_scoped_release released;
            const std::lock_guard<std::mutex> lock(busy);

            status = call(opened.get());
            if (status != SMOOTHIMG_OK)
                message = smoothimg_message(opened.get());
        }
        if (status != SMOOTHIMG_OK)
            raise(status, message);
    }

    std::unique_ptr<smoothimg_context, Freed<smoothimg_close>> opened;
    int threads;  /* greatest number of threads */
    void *stream; /* NULL for the host */

  private:
    std::mutex busy;
};

std::atomic<int> default_threads; /* 0: one for each processor */

/* Returns this thread's context for arrays of the host. Each thread has contexts of its own, so
 * that threads do not wait for each other. `threads` is the argument of the user's call; without a
 * value the default applies. */
Context &on_host(std::optional<int> threads)
{
    static thread_local std::map<int, Context> contexts;
    const int most = threads.value_or(default_threads);

    return contexts.try_emplace(most, most, -1, 0).first->second;
}

/* Returns the name of the engine (implementation) that computed the last call that this thread made
 * with this value of `threads`, or "" before the first call. */
std::string chosen(std::optional<int> threads)
{
    return smoothimg_chosen(on_host(threads).opened.get());
}

/* How an axis is filtered: sigma, radius, order, edge and scale, as in smoothimg_axis. */
using Axis = std::tuple<double, int64_t, int, int, double>;

/* The value of samples outside the array for the edge rule "constant". */
using Outside = std::variant<int64_t, uint64_t, double>;

class Filter
{
  public:
    Filter(const std::vector<std::vector<Axis>> &terms, int combination, int norm, int missing,
           int adjoint, const Outside &outside)
        : reach(terms.at(0).size()), terms(static_cast<double>(terms.size())),
          apart(combination == SMOOTHIMG_APART), has_alpha(missing == SMOOTHIMG_ALPHA)
    {
        smoothimg_filter_options options = {};
        std::vector<smoothimg_axis> all;
        struct smoothimg_filter *made; /* `struct` is needed, since a function has the same name */

        for (const auto &term : terms)
            for (size_t a = 0; a < term.size(); a++) {
                const auto [sigma, radius, order, edge, scale] = term[a];

                all.push_back({sigma, radius, order, static_cast<smoothimg_edge>(edge), scale});
                reach[a] = std::max(reach[a], radius);
                has_orders |= order > 0;
            }
        options.axes = static_cast<int>(reach.size());
        options.terms = static_cast<int>(terms.size());
        options.axis = all.data();
        options.combination = static_cast<smoothimg_combination>(combination);
        options.norm = static_cast<smoothimg_norm>(norm);
        options.missing = static_cast<smoothimg_missing>(missing);
        options.adjoint = adjoint;
        if (const auto *integer = std::get_if<int64_t>(&outside))
            options.outside_i64 = *integer;
        else if (const auto *large = std::get_if<uint64_t>(&outside))
            options.outside_u64 = *large;
        else
            options.outside = std::get<double>(outside);
        Context(1, -1, 0).run([&](smoothimg_context *context) {
            return smoothimg_filter_create(context, &options, &made);
        });
        filter.reset(made);
    }

    /* True if the number of axes, the orders and the types allow the library's faster code, which
     * is for images. Checks none of its other conditions. */
    bool suits_images(const smoothimg_array &src, const smoothimg_array &dst) const
    {
        return terms == 1 && !has_orders && src.type <= SMOOTHIMG_F32 && dst.type == src.type &&
               std::count_if(reach.begin(), reach.end(), [](int64_t r) { return r > 0; }) <= 2;
    }

    std::unique_ptr<struct smoothimg_filter, Freed<smoothimg_filter_free>> filter;
    std::vector<int64_t> reach; /* the filter's radius along each axis */
    double terms;
    bool apart; /* each term is a result of its own; the first axis of dst counts the results */
    bool has_alpha, has_orders = false;
};

/* Returns the arrays for the results: with SMOOTHIMG_APART one for each term, which are the entries
 * of dst along its first axis; else dst itself. */
std::vector<smoothimg_array> results_of(const Filter &filter, smoothimg_array dst)
{
    std::vector<smoothimg_array> results;
    const int64_t count = filter.apart ? *dst.shape++ : 1;
    const int64_t step = filter.apart ? *dst.strides++ : 0;

    dst.axes -= filter.apart;
    for (int64_t i = 0; i < count; i++) {
        results.push_back(dst);
        dst.data = static_cast<char *>(dst.data) + step;
    }
    return results;
}

static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "shapes of buffers are smoothimg.h's");

/* An array in the host's memory or on a device. A host's array stays in place while this object
 * lives. */
class View
{
  public:
    /* An array on a device: its address, its shape, its strides in bytes, and its sample type
     * (smoothimg_type). */
    using Placed = std::tuple<uintptr_t, std::vector<int64_t>, std::vector<int64_t>, int>;

    /* array: for a device a Placed; else an object with a buffer. */
    View(nb::handle array, bool writable)
    {
        if (PyTuple_Check(array.ptr())) {
            placed = nb::cast<Placed>(array);
            const auto &[address, shape, strides, type] = placed;
            described = {reinterpret_cast<void *>(address),
                         static_cast<int>(shape.size()),
                         shape.data(),
                         strides.data(),
                         static_cast<smoothimg_type>(type),
                         SMOOTHIMG_CUDA,
                         0};
            there = true;
        } else if (PyObject_GetBuffer(array.ptr(), &buffer,
                                      writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO) == 0) {
            described.data = buffer.buf;
            described.axes = buffer.ndim;
            described.shape = reinterpret_cast<const int64_t *>(buffer.shape);
            described.strides = reinterpret_cast<const int64_t *>(buffer.strides);
            there = set_type();
        } else {
            PyErr_Clear();
        }
    }
    View(const View &) = delete;
    View &operator=(const View &) = delete;
    ~View()
    {
        PyBuffer_Release(&buffer); /* does nothing without a buffer */
    }

    Py_buffer buffer = {};
    smoothimg_array described = {};
    /* false: the object has no buffer, or samples that the library does not support. */
    bool there = false;

  private:
    Placed placed;

    /* Sets the array's sample type. Returns false for types and byte orders that the library does
     * not support. */
    bool set_type()
    {
        /* The letters of Python's module struct for each smoothimg_type, in its order. */
        const struct {
            const char *letters;
            int bytes;
        } types[] = {{"B", 1},  {"H", 2},  {"f", 4},  {"?", 1},  {"b", 1}, {"h", 2},
                     {"il", 4}, {"IL", 4}, {"lq", 8}, {"LQ", 8}, {"e", 2}, {"d", 8}};
        const char own = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
        const char *format = buffer.format + (buffer.format[0] == '=' || buffer.format[0] == own);

        for (const auto &[letters, bytes] : types) {
            if (buffer.itemsize == bytes && format[0] && !format[1] &&
                std::strchr(letters, format[0]))
                return true;
            described.type = static_cast<smoothimg_type>(described.type + 1);
        }
        return false;
    }
};

/* How a call on large arrays of the host is cut into pieces along an axis, so that the call can
 * check for Ctrl-C between two pieces. Pieces end where the library would also begin a new part of
 * its computation, so cutting costs no measurable time. */
struct Cut {
    int axis;
    /* A piece's number of samples along the axis is a multiple of this; the last piece has the
     * rest. */
    int64_t step;
    /* Samples of the first piece along the axis, before rounding to a multiple of `step`. */
    int64_t first;
};

constexpr double PIECE_SECONDS = 0.2;
/* Products of a weight and a sample that a thread computes in the first piece. They take some
 * milliseconds if double precision is enough, or a second if all results have to be computed again
 * exactly. Images are about ten times as fast, so their first piece is larger. */
constexpr double FIRST_PIECE = 8e6;
constexpr double FIRST_IMAGES = 64e6;
/* A stack of fewer images than this is not cut between images. It is also the greatest number of
 * adjacent samples that cut_of() regards as the channels of one pixel. */
constexpr int64_t FEW = 16;

/* Returns the axes with more than one sample, sorted by their strides in src, the largest first. If
 * the stride in src is 0 (all samples along the axis are the same one), the stride in dst
 * counts. */
std::vector<int> outermost_first(const smoothimg_array &src, const smoothimg_array &dst)
{
    const auto step = [&](int a) {
        return std::abs(src.strides[a] != 0 ? src.strides[a] : dst.strides[a]);
    };
    std::vector<int> order;

    for (int a = 0; a < dst.axes; a++)
        if (dst.shape[a] > 1)
            order.push_back(a);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return step(a) > step(b); });
    return order;
}

/* Decides how a call is cut into pieces. Returns nothing if the call takes no longer than a first
 * piece, or cannot be cut. Axes are ordered by their strides, the outermost first. Finds the first
 * axis that is filtered or has at least FEW samples, or else takes the last axis. If this axis is
 * not filtered, the call is cut along it. If it is filtered, images are cut along it, into bands of
 * rows. Other arrays are cut along the next axis, if there is one, because pieces along a filtered
 * axis repeat work: each also filters samples beside the piece. */
std::optional<Cut> cut_of(const Context &context, const Filter &filter, const smoothimg_array &src,
                          const smoothimg_array &dst)
{
    const bool images = filter.suits_images(src, dst);
    const double least = (images ? FIRST_IMAGES : FIRST_PIECE) * context.threads;
    double taps = 4, work = filter.terms;

    for (int a = 0; a < dst.axes; a++) {
        work *= static_cast<double>(dst.shape[a]);
        taps += static_cast<double>(filter.reach[static_cast<size_t>(a)]);
    }
    if (work * taps <= least || src.memory == SMOOTHIMG_CUDA)
        return std::nullopt;
    std::vector<int> order = outermost_first(src, dst);
    if (filter.has_alpha) /* the channels of a pixel stay together */
        order.erase(std::remove(order.begin(), order.end(), dst.axes - 1), order.end());
    if (order.empty())
        return std::nullopt;
    const auto reach = [&](int a) { return filter.reach[static_cast<size_t>(a)]; };
    const auto cut = [&](int a, int64_t step) {
        return Cut{a, step, static_cast<int64_t>(least / (work * taps) * double(dst.shape[a]))};
    };
    const auto stops = [&](int a) { return reach(a) > 0 || dst.shape[a] >= FEW; };
    const auto last = order.end() - 1, axis = std::find_if(order.begin(), last, stops);
    /* The number of samples at each index of *axis: those along the axes that follow in `order`. */
    int64_t inside = 1;
    for (auto a = axis + 1; a < order.end(); a++)
        inside *= dst.shape[*a];
    if (reach(*axis) <= 0)
        return cut(*axis, 1);
    /* If these are at most FEW samples, they are the channels of a pixel, and *axis runs along a
     * row of pixels. The call is not cut, since the library's code for images computes whole
     * rows. */
    if (images && inside <= FEW)
        return std::nullopt;
    if (images) /* the library's bands of rows are at least this high */
        return cut(*axis, 16 * reach(*axis));
    if (axis == last)
        return cut(*axis, std::max<int64_t>(4096, 16 * reach(*axis)));
    return cut(axis[1], axis + 1 == last ? 512 : 64);
}

/* Divides `places` samples along an axis into pieces. The first piece has about cut.first samples.
 * Further pieces take about PIECE_SECONDS each, but have at most about 4 times as many samples as
 * the piece before. For each piece, calls call() with the piece's first sample and number of
 * samples. */
template <typename Call> void in_pieces(const Cut &cut, int64_t places, const Call &call)
{
    using clock = std::chrono::steady_clock;
    double wanted = static_cast<double>(cut.first);

    for (int64_t at = 0; at < places;) {
        const int64_t steps = static_cast<int64_t>(wanted) / cut.step;
        const int64_t some = std::max<int64_t>(steps, 1) * cut.step;
        const int64_t now = at + some + some / 2 < places ? some : places - at;
        const auto begin = clock::now();

        call(at, now);
        const std::chrono::duration<double> seconds = clock::now() - begin;
        wanted = static_cast<double>(now) * std::min(4., PIECE_SECONDS / seconds.count());
        at += now;
        if (PyErr_CheckSignals() != 0)
            throw nb::python_error();
    }
}

/* Returns the part of the array that has samples at..at+places-1 of an axis. Stores its shape in
 * `shape`. */
smoothimg_array part_of(const smoothimg_array &array, int axis, int64_t at, int64_t places,
                        std::vector<int64_t> &shape)
{
    smoothimg_array part = array;

    shape.assign(array.shape, array.shape + array.axes);
    shape[static_cast<size_t>(axis)] = places;
    part.shape = shape.data();
    part.data = static_cast<char *>(array.data) + at * array.strides[axis];
    return part;
}

/* Returns the context of a call on arrays: for arrays on a device `where` is that context; for
 * arrays of the host it is the argument `threads` of the user's call. */
Context &context_of(nb::handle where)
{
    return nb::isinstance<Context>(where) ? nb::cast<Context &>(where)
                                          : on_host(nb::cast<std::optional<int>>(where));
}

/* Filters an array. src and dst share no memory. `first` is the position in the whole result where
 * dst begins; without a value dst is the whole result. Returns false, and writes nothing, if an
 * array of the host has no buffer, or a type or byte order that the library does not support, or if
 * the shapes of src and dst do not match. */
bool filter(nb::handle where, const Filter &filter,
            const std::optional<std::vector<int64_t>> &first, nb::handle src, nb::handle dst)
{
    Context &context = context_of(where);
    const View in(src, false), out(dst, true);
    const smoothimg_array &from = in.described;

    if (!in.there || !out.there || from.axes + filter.apart != out.described.axes)
        return false;
    const std::vector<smoothimg_array> whole = results_of(filter, out.described);
    if (whole.size() != (filter.apart ? static_cast<size_t>(filter.terms) : 1) ||
        (!first && !std::equal(from.shape, from.shape + from.axes, whole[0].shape)))
        return false;
    const auto call = [&](const std::vector<smoothimg_array> &to, const int64_t *begin) {
        context.run([&](smoothimg_context *opened) {
            return smoothimg_filter(opened, filter.filter.get(), &from, to.data(), begin,
                                    context.stream);
        });
    };
    const std::optional<Cut> cut = cut_of(context, filter, from, whole[0]);
    if (!cut) {
        call(whole, first ? first->data() : nullptr);
        return true;
    }
    in_pieces(*cut, whole[0].shape[cut->axis], [&](int64_t at, int64_t places) {
        std::vector<int64_t> shape,
            begin = first.value_or(std::vector<int64_t>(filter.reach.size()));
        std::vector<smoothimg_array> to;

        for (const smoothimg_array &result : whole)
            to.push_back(part_of(result, cut->axis, at, places, shape));
        begin[static_cast<size_t>(cut->axis)] += at;
        call(to, begin.data());
    });
    return true;
}

/* Moves samples: axis a of dst is axis axes[a] of src, reversed if flip[a] is not 0. src and dst
 * share no memory. Returns false, and writes nothing, if an array of the host has no buffer, or a
 * type or byte order that the library does not support. */
bool move(nb::handle where, const std::vector<int> &axes, const std::vector<int> &flip,
          nb::handle src, nb::handle dst)
{
    Context &context = context_of(where);
    const View in(src, false), out(dst, true);
    const smoothimg_array &to = out.described;

    if (!in.there || !out.there)
        return false;
    const auto call = [&](const smoothimg_array &source, const smoothimg_array &target) {
        context.run([&](smoothimg_context *opened) {
            return smoothimg_move(opened, axes.data(), flip.data(), &source, &target,
                                  context.stream);
        });
    };
    const std::vector<int> order = outermost_first(to, to);
    if (order.empty() || to.memory == SMOOTHIMG_CUDA) {
        call(in.described, to);
        return true;
    }
    const int axis = order[0], of = axes[static_cast<size_t>(axis)];
    const int64_t places = to.shape[axis];
    const int64_t bytes = std::max<int64_t>(out.buffer.len / places, 1);

    in_pieces({axis, order.size() > 2 ? 1 : 64, (64 << 20) / bytes}, places,
              [&](int64_t at, int64_t some) {
                  std::vector<int64_t> from_shape, to_shape;
                  const int64_t begin = flip[static_cast<size_t>(axis)] ? places - at - some : at;

                  call(part_of(in.described, of, begin, some, from_shape),
                       part_of(to, axis, at, some, to_shape));
              });
    return true;
}

} // namespace

NB_MODULE(_core, module)
{
    /* Otherwise nanobind would report the filters in the package's cache as leaks at exit. */
    nb::set_leak_warnings(false);
    module.attr("MAX_RADIUS") = SMOOTHIMG_MAX_RADIUS;
    module.def("version", &smoothimg_version);
    nb::class_<Context>(module, "Context")
        .def(nb::init<int, int, uintptr_t>(), nb::arg("threads"), nb::arg("device"),
             nb::arg("stream"));
    nb::class_<Filter>(module, "Filter")
        .def(nb::init<const std::vector<std::vector<Axis>> &, int, int, int, int, Outside>(),
             nb::arg("terms"), nb::arg("combination"), nb::arg("norm"), nb::arg("missing"),
             nb::arg("adjoint"), nb::arg("outside"));
    module.def(
        "set_threads", [](int threads) { default_threads = threads; }, nb::arg("threads"));
    module.def("get_threads", []() { return default_threads.load(); });
    module.def("chosen", &chosen, nb::arg("threads").none());
    module.def("filter", &filter, nb::arg("where").none(), nb::arg("filter"),
               nb::arg("first").none(), nb::arg("src"), nb::arg("dst"));
    module.def("move", &move, nb::arg("where").none(), nb::arg("axes"), nb::arg("flip"),
               nb::arg("src"), nb::arg("dst"));
}
