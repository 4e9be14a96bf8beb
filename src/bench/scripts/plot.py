#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what smoothimg-bench measured, with matplotlib (Debian: python3-matplotlib).

usage: plot.py [--only roofline|ladders] DOCUMENT PICTURE

    smoothimg-bench --op smooth --halo 1,2,4,8 --json > halos.json
    plot.py halos.json halos.svg

DOCUMENT is a file that `smoothimg-bench --json` printed, for either suite or with --sectors, or that
`python/benchmarks/compare.py --json` wrote; - is standard input. PICTURE ends in .svg, .png or .pdf.

A panel is one diagram of the picture. For the suite variants there is a panel for each operation, on the CPU and on the
GPU. It has a bar for each variant and a line at the rate of the plain copy. If several halos or sizes were measured,
the panel has a curve for each variant instead: time over halo or size. For the suite memory there is the roofline, then
a panel of bars for each group of experiments; --only draws one of the two. For --sectors there is a panel for each
group, with a bar for each kernel: the bytes that the kernel moves, divided by the bytes that must move. For compare.py
each image has a panel of wrong samples and one of times.

Exit status: 0 drawn; 2 wrong usage; 3 DOCUMENT not read; 4 no matplotlib; 5 PICTURE not written.
"""
import argparse
import io
import json
import math
import re
import sys
from collections import namedtuple
from pathlib import Path

# Lengths are in points. These figures have 72 dots an inch, so a point is also a pixel.
WIDTH, TEXT = 760, 12
HEADING = 6.5 * TEXT   # height of a panel's heading, with the space below it
BAR_STEP = 20
LINES_HEIGHT, ROOFLINE_HEIGHT = 300, 400
PEAK_REACH = 3  # a peak more than this many times as long as the longest bar is named in the heading, and not drawn as a line
PAGE, INK, FAINT, GRID = "#fdfdfb", "#1f2328", "#59636e", "#d5dae0"
PEAK, BAD, OWN, OTHER = "#8250df", "#c4320a", "#0072b2", "#b08800"
# Colours that colour-blind readers can tell apart, from Okabe and Ito (2008), with a violet in place of yellow.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7a5c99"]
MARKERS = ["o", "s", "^", "D"]

# `draw` is called with axes, and fills them. It returns None, or a function to call after the layout of the page is
# final.
Panel = namedtuple("Panel", "title about height draw")
# `text` is printed to the right of the bars. Without a value there is only the text. `gid` is from id_of.
Bar = namedtuple("Bar", "name value text colour gid")


def id_of(kind, group, row):
    """Returns the id that the bar, line or point of a row has in an SVG, so that scripts can find it."""
    return re.sub(r"\W+", "-", f"{kind} {group} {row}")


def end(status, message):
    sys.exit(print(f"plot.py: {message}", file=sys.stderr) or status)


def number(value):
    """Formats a number with as many decimals as four significant digits need, but at most three, without exponent."""
    digits = math.floor(math.log10(value)) if value > 0 else 0
    return f"{value:.{min(3, max(0, 3 - digits))}f}"


def share(value):
    return f"{100 * value:.{3 if value < 0.00095 else 1}f} %"


def gain(value):
    return f"x {value:.{3 if value < 0.095 else 2 if value < 10 else 1}f}"


def ratio(value):
    """Formats an integer without a point, another number with two decimals."""
    return f"{value:.{0 if value == int(value) else 2}f}"


def seconds(value):
    unit, factor = ("us", 1e6) if value < 0.9e-3 else ("ms", 1e3) if value < 0.9 else ("s", 1)
    return f"{factor * value:.3g} {unit}"


def is_timed(row, place):
    return row["place"] == place and row["outcome"] == "timed"


# --- bars, of both suites

def bars_panel(title, about, bars, peak, peak_name, unit, longest=0):
    """Makes a panel of bars. `peak` is the rate with which the bars are compared, in the bars' unit, or None. The axis
    ends at the longest bar, but not before `longest`, so that several panels can have the same scale."""
    longest = max([longest, *(bar.value for bar in bars if bar.value)])
    near = peak and peak <= PEAK_REACH * longest
    if peak and not near:
        about += f"; {peak_name} {number(peak)} {unit}"

    def draw(axes):
        places = range(len(bars))
        axes.set_xlim(0, max(longest, peak if near else 0) or 1)
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.set_yticks(places, [bar.name for bar in bars])
        axes.set_xticks([])
        axes.tick_params(length=0)
        if near:
            axes.vlines(peak, -0.5, len(bars) - 0.5, color=PEAK, linestyle=(0, (4, 3)), linewidth=1.5, clip_on=False)
            axes.text(peak, -0.65, f"{peak_name} {number(peak)} {unit}", color=PEAK,
                      ha="right" if peak > longest / 2 else "left")
        for place, bar in zip(places, bars):
            if bar.value:
                axes.barh(place, bar.value, 0.7, color=bar.colour)[0].set_gid(bar.gid)
            # The texts have a column of their own, where no line crosses them.
            axes.annotate(bar.text, (1, place), (6, 0), xycoords=("axes fraction", "data"),
                          textcoords="offset points", va="center", annotation_clip=False,
                          color=bar.colour if bar.value is None else INK)

    return Panel(title, about, BAR_STEP * len(bars), draw)


def outcome_bar(name, row, gid):
    """Returns a bar without length for a variant or experiment that was not timed; its text says why."""
    text = {"left out": "left out", "different": "wrong, not timed", "failed": "failed"}[row["outcome"]]
    return Bar(name, None, text, FAINT if row["outcome"] == "left out" else BAD, gid)


# --- suite variants

AXES = {"halo": lambda group: max(group["halo"], 0.5),  # 0 has no logarithm
        "size": lambda group: group["width"] * group["height"]}


def conditions(group, axis):
    """Returns the conditions that must be equal in all groups of a panel. The panel's curves run over `axis`, a key of
    AXES."""
    names = ["operation", "image", "channels", "maxval", "alpha", "threads"]
    return [group[name] for name in names + {"halo": ["width", "height"], "size": ["halo"]}[axis]]


def sweeps(groups):
    """Yields (axis, groups) for each panel. The groups of a panel differ only in `axis`: "halo" or "size".
    A group that matches no other group is yielded alone; its axis means nothing."""
    groups = list(groups)
    while groups:
        for axis in AXES:
            alike = [group for group in groups if conditions(group, axis) == conditions(groups[0], axis)]
            if len(alike) > 1:
                break
        yield axis, alike
        groups = [group for group in groups if group not in alike]


def sample_bytes(group):
    """Returns the bytes of a sample. A maxval of 0 stands for floats."""
    return 4 if group["maxval"] == 0 else 1 + (group["maxval"] > 255)


def describe(group, what, place, axis=None):
    channels, threads = group["channels"], group["threads"]
    size = "" if axis == "size" else f", {group['width']} x {group['height']}"
    samples = f"maxval {group['maxval']}" if group["maxval"] else "floats"
    text = f"{what}; {group['image']}{size}, {samples}, {channels} channel{'s' * (channels > 1)}"
    return text + f", {threads} thread{'s' * (threads > 1)}" * (place == "cpu")


def title_of(group, place, axis=None):
    halo = f", halo {group['halo']}" * (group["operation"] == "smooth" and axis != "halo")
    return f"{group['operation']} on the {place.upper()}{halo}"


def variant_bars(group, place):
    bars, copy = [], None
    for row in (row for row in group["rows"] if row["place"] == place):
        gid = id_of("bar", group["operation"], row["row"])
        if row["outcome"] != "timed":
            bars.append(outcome_bar(row["row"], row, gid))
        elif row["row"] == "copy":
            copy = row["gb_per_s"]
        else:
            of_copy = f"  {share(row['share_of_copy'])}" if row["share_of_copy"] else ""
            bars.append(Bar(row["row"], row["gb_per_s"], f"{number(row['gb_per_s'])} GB/s{of_copy}",
                            OWN, gid))
    return bars_panel(title_of(group, place), describe(group, "bytes read and written, once each", place),
                      bars, copy, "copy", "GB/s")


def curves_of(groups, place, axis):
    """Returns {name: [(halo or pixels, seconds)]}. The copy that was measured on a GPU is larger than the image, so the
    seconds of a copy of the image are calculated from the measured rate."""
    curves = {}
    for group in groups:
        samples = group["width"] * group["height"] * group["channels"]
        image_bytes = 2 * samples * sample_bytes(group)
        for row in (row for row in group["rows"] if is_timed(row, place)):
            time = image_bytes / row["gb_per_s"] / 1e9 if row["row"] == "copy" else row["median_s"]
            curves.setdefault(row["row"], []).append((AXES[axis](group), time))
    return {name: sorted(points) for name, points in curves.items()}


def name_ends(axes, ends):
    """Writes the names of points in a column on the right. `ends` is a list of (name, point, colour). Names that would
    overlap move down; a line leads from each name to its point."""
    top = float("inf")
    for name, point, colour in sorted(ends, key=lambda end: -end[1][1]):
        x, y = axes.transData.transform(point)
        top = min(y, top - 1.1 * TEXT)
        axes.annotate(name, point, (axes.bbox.x1 + 10 - x, top - y), textcoords="offset points", va="center", color=colour,
                      annotation_clip=False, arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": colour, "relpos": (0, 0.5)})


def make_room(axes, names):
    """Reserves space on the right for the names, which are written after the layout of the page."""
    axes.annotate(max(names, key=len), (1, 0), (10, 0), xycoords="axes fraction", textcoords="offset points", alpha=0)


def variant_lines(groups, place, axis):
    curves = curves_of(groups, place, axis)
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(curves)}
    colours["copy"] = PEAK
    ticks = {AXES[axis](group): group["halo"] if axis == "halo" else f"{group['width']} x {group['height']}"
             for group in groups}

    def draw(axes):
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
        axes.set_xscale("log")
        axes.set_yscale("log")
        for name, points in curves.items():
            style = {"linestyle": (0, (4, 3))} if name == "copy" else {"marker": "o", "markersize": 4}
            axes.plot(*zip(*points), color=colours[name], linewidth=1.75,
                      gid=id_of("line", groups[0]["operation"], name), **style)
        low, high = axes.get_ylim()
        axes.yaxis.set_major_locator(LogLocator(subs=[1] if high > 300 * low else [1, 2, 5]))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: seconds(value)))
        axes.set_xticks(list(ticks), list(ticks.values()))
        for scale in (axes.xaxis, axes.yaxis):
            scale.set_minor_locator(NullLocator())
        axes.set_xlabel(axis, color=FAINT)
        axes.grid(axis="y", color=GRID)
        make_room(axes, curves)
        return lambda: name_ends(axes, [(name, points[-1], colours[name]) for name, points in curves.items()])

    return Panel(title_of(groups[0], place, axis), describe(groups[0], "time of a run", place, axis), LINES_HEIGHT, draw)


def variant_panels(document):
    for place in ("cpu", "gpu"):
        timed = [group for group in document["groups"]
                 if any(is_timed(row, place) and row["row"] != "copy" for row in group["rows"])]
        for axis, groups in sweeps(timed):
            yield variant_lines(groups, place, axis) if len(groups) > 1 else variant_bars(groups[0], place)


# --- counts of memory accesses, by --sectors

def counts_text(row):
    """Returns "x 4.50  4 a load, 32 a store, 32-way": bytes moved / needed, sectors of an access, bank conflicts."""
    parts = [f"{ratio(row[key])} a {kind}" for kind, key in
             (("load", "sectors_per_load"), ("store", "sectors_per_store")) if row[key]]
    degree = max(row["shared_load_degree"] or 0, row["shared_store_degree"] or 0)
    parts += [f"{degree:.0f}-way"] if degree > 1 else []
    return f"x {ratio(row['moved'])}  {', '.join(parts)}"


def length_of(counts):
    """Returns the length of a bar. The length is a logarithm, since the first kernel of a group may move a thousand
    times as many bytes as the last. The scale begins at 1/2, so that a kernel that moves only the bytes that it must
    move has a bar, too."""
    return math.log(2 * max(counts["moved"], 1))


def counts_panel(group, size, rows, longest):
    """Makes a panel of kernels. `rows` is a list of (name, counts or None, why there are no counts); `longest` is the
    length of the longest bar of all panels."""
    bars = []
    for name, counts, why in rows:
        gid = id_of("bar", group, name)
        bars.append(Bar(name, length_of(counts), counts_text(counts), OWN, gid) if counts
                    else Bar(name, None, why, FAINT, gid))
    return bars_panel(group, f"bytes moved / bytes that must move (bars are logarithms, from 1/2 on), sectors; {size}", bars,
                      None, None, None, longest)


def flattened(row):
    """Returns the counts of a kernel from a document of --sectors as a flat dictionary."""
    return {"moved": row["moved"],
            **{f"sectors_per_{kind}": row[f"{kind}s"]["sectors_per_access"] for kind in ("load", "store")},
            **{f"shared_{kind}_degree": row[f"shared_{kind}s"]["worst_degree"] for kind in ("load", "store")}}


def sector_panels(document):
    """Returns the panels for a document of --sectors. A group whose kernels were counted at several sizes has a panel
    for each size."""
    panels = {}
    for row in document["rows"]:
        size = f"{row['width']} x {row['height']}"
        counts = flattened(row) if row["outcome"] == "counted" else None
        panels.setdefault((row["group"], size), []).append((row["row"], counts, row["outcome"]))
    longest = max((length_of(row) for row in document["rows"]), default=0)
    return [counts_panel(group, size, rows, longest) for (group, size), rows in panels.items()]


# --- suite memory

def ladder(document, group, rows):
    """Makes a panel of bars for a group of experiments. The bars show operations per second if all timed experiments do
    more than two operations for a useful byte and these numbers of operations are equal within 2 %. Otherwise the bars
    show useful bytes per second."""
    place = "gpu" if any(is_timed(row, "gpu") for row in rows) else "cpu"
    per_byte = [row["flop_per_byte"] or 0 for row in rows if row["outcome"] == "timed"]
    flops = bool(per_byte) and per_byte[0] > 2 and max(per_byte) - min(per_byte) < 0.02 * per_byte[0]
    key, unit = ("gflop_per_s", "GFLOP/s") if flops else ("gb_per_s", "GB/s")
    precision = "fp64" if any(row.get("double") for row in rows) else "fp32"
    peak = document[f"peak_gflop_per_s_{precision}" if flops else f"copy_gb_per_s_{place}"]
    peak = peak if place == "gpu" or not flops else None
    bars = []
    for row in rows:
        gid, name = id_of("bar", group["group"], row["row"]), row["row"]
        if row["place"] == "cpu" and not name.lower().startswith("cpu"):
            name += " (CPU)"
        if row["outcome"] != "timed":
            bars.append(outcome_bar(name, row, gid))
            continue
        text = f"{number(row[key])} {unit}"
        text += f"  {share(row[key] / peak)}" if peak and row["place"] == place else ""
        text += f"  {gain(row['gain'])}" if row["gain"] and row["gain"] != 1 else ""
        bars.append(Bar(name, row[key], text, OTHER if row["place"] == "cpu" else OWN, gid))
    return bars_panel(group["group"], f"{'operations' if flops else 'useful bytes'}; {group['size']}", bars,
                      peak, f"{precision} peak" if flops else "copy", unit)


def draw_peaks(axes, copy, peaks):
    """Draws the copy's rate as a slope up to the highest peak rate of arithmetic, and each peak rate as a horizontal
    line that begins at the slope."""
    (x_low, x_high), (y_low, y_high) = axes.get_xlim(), axes.get_ylim()
    if copy:
        start = max(x_low, y_low / copy)
        stop = min(max(peaks.values(), default=y_high) / copy, x_high)
        axes.plot([start, stop], [start * copy, stop * copy], color=PEAK, linewidth=1.75)
        (x1, y1), (x2, y2) = axes.transData.transform([(start, start * copy), (stop, stop * copy)])
        angle = math.atan2(y2 - y1, x2 - x1)
        # The text follows the slope. It begins 26 points from the slope's lower end, and is 6 points above the slope.
        axes.annotate(f"copy {number(copy)} GB/s", (start, start * copy),
                      (26 * math.cos(angle) - 6 * math.sin(angle), 26 * math.sin(angle) + 6 * math.cos(angle)),
                      textcoords="offset points", color=PEAK, rotation=math.degrees(angle),
                      rotation_mode="anchor", ha="left", va="baseline")
    for name, peak in peaks.items():
        begin = max(x_low, peak / copy) if copy else x_low
        axes.plot([begin, x_high], [peak, peak], color=PEAK, linewidth=1.75)
        axes.annotate(f"{name} peak, measured: {number(peak)} GFLOP/s", (x_high, peak), (0, 4),
                      textcoords="offset points", color=PEAK, ha="right")


def roofline(document):
    groups = [group for group in document["groups"] if group["group"] != "peaks"]

    def points_at(place):
        return {group["group"]: [(row["row"], (row["flop_per_asked_byte"], row["gflop_per_s"]))
                                 for row in group["rows"] if is_timed(row, place) and
                                 row["gflop_per_s"] and row["flop_per_asked_byte"]] for group in groups}

    place = "gpu" if any(points_at("gpu").values()) else "cpu"
    shown = {group: points for group, points in points_at(place).items() if points}
    if not shown:
        return []
    copy = document[f"copy_gb_per_s_{place}"]
    peaks = {name: document[f"peak_gflop_per_s_{name}"] for name in ("fp32", "fp64")}
    peaks = {name: peak for name, peak in peaks.items() if peak and place == "gpu"}

    def draw(axes):
        from matplotlib.ticker import FuncFormatter, NullLocator
        ends = [point for points in shown.values() for _, point in points]
        ends += [(peak / copy, peak) for peak in peaks.values() if copy]
        axes.set(xscale="log", yscale="log",
                 xlim=(min(x for x, _ in ends) / 2.2, max(x for x, _ in ends) * 4),
                 ylim=(min(y for _, y in ends) / 2, max(y for _, y in ends) * 2.2))
        for scale in (axes.xaxis, axes.yaxis):
            scale.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10g}"))
            scale.set_minor_locator(NullLocator())
        axes.grid(color=GRID)
        axes.set_xlabel("operations for each byte that threads load and store", color=FAINT, loc="right")
        axes.annotate("GFLOP/s", (0, 1), (6, 0), xycoords="axes fraction", textcoords="offset points", color=FAINT,
                      va="top")
        names = []
        for number_of_group, (group, points) in enumerate(shown.items()):
            look = {"color": COLOURS[number_of_group % len(COLOURS)],
                    "marker": MARKERS[number_of_group % len(MARKERS)]}
            for name, point in points:
                axes.plot(*point, linestyle="", markersize=6, zorder=3, gid=id_of("point", group, name),
                          **look)
                names.append((name, point, look["color"]))
            axes.plot([], [], linestyle="", label=group, **look)
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.1), ncol=6, frameon=False, borderpad=0,
                    handletextpad=0.2, columnspacing=1.5)
        make_room(axes, [name for name, _, _ in names])
        return lambda: (draw_peaks(axes, copy, peaks), name_ends(axes, names))

    about = ("rows of the GPU, and peaks measured in the same run; above the slope, caches serve"
             if place == "gpu" else "rows of the CPU, and its copy, measured in the same run")
    height = max(ROOFLINE_HEIGHT, 1.1 * TEXT * sum(map(len, shown.values())))
    return [Panel("Roofline", about, height, draw)]


def memory_panels(document, only):
    panels = [] if only == "ladders" else roofline(document)
    for group in document["groups"] if only != "roofline" else ():
        rows = [row for row in group["rows"] if row["outcome"] != "checked"]
        if rows and group["group"] != "peaks":
            panels.append(ladder(document, group, rows))
    return panels


# --- libraries, by compare.py

def library_bars(group, title, about, key, text, whole=0):
    bars = [Bar(row["name"], row[key], text(row[key]), OWN if row["name"].startswith("smoothimg") else OTHER,
                id_of("bar", title, row["name"])) for row in group["rows"]]
    return bars_panel(title, about, bars, None, None, None, longest=whole)


def library_panels(document):
    for group in document["groups"]:
        about = f"{group['image']}, 8 bits, radius {group['halo']}"
        yield library_bars(group, "Samples that are not the exact result, rounded", about, "share_wrong",
                           lambda value: share(value) if value else "none", 1)
        yield library_bars(group, "Time of a call", about, "median_s", seconds)


# --- the page

def draw_page(heading, panels):
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    matplotlib.rcParams.update({
        "font.size": TEXT, "font.family": "sans-serif", "svg.fonttype": "none", "svg.hashsalt": "smoothimg",
        "axes.facecolor": PAGE, "axes.spines.left": False, "axes.spines.right": False,
        "axes.spines.top": False, "axes.spines.bottom": False, "axes.axisbelow": True,
        "xtick.color": GRID, "xtick.labelcolor": FAINT, "ytick.color": GRID, "ytick.labelcolor": FAINT})
    heights = [panel.height for panel in panels]
    figure = Figure((WIDTH / 72, (sum(heights) + (len(panels) + 1) * HEADING) / 72), dpi=72, facecolor=PAGE,
                    layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(heading, x=0.01, ha="left", color=FAINT, fontsize=TEXT)
    left = []
    for panel, (axes,) in zip(panels, figure.subplots(len(panels), squeeze=False, height_ratios=heights)):
        axes.set_title(" ", fontsize=1.25 * TEXT, pad=3 * TEXT)  # reserves space for the two texts that are written below
        for text, up, more in ((panel.title, 3.1, {"color": INK, "fontsize": 1.25 * TEXT}), (panel.about, 1.6, {"color": FAINT})):
            axes.annotate(text, (0.01, 1), (0, up * TEXT), xycoords=("figure fraction", "axes fraction"),
                          textcoords="offset points", in_layout=False, **more)
        left.append(panel.draw(axes))
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for finish in filter(None, left):
        finish()
    return figure


def read(path):
    try:
        document = json.loads(sys.stdin.read() if path == "-" else Path(path).read_text())
        if "sector_bytes" in document:
            return document, f"smoothimg-bench {document['version']}: counted on the emulated device"
        if document.get("program") == "compare.py":
            return document, document["about"]
        machine, gpu = document["machine"], document["gpu"]
        heading = f"smoothimg-bench {document['version']}: {machine['cpu']}{', ' + gpu['name'] if gpu else ''}"
        return document, heading
    except OSError as fault:
        end(3, f"{path}: {fault.strerror}")
    except (ValueError, KeyError, TypeError):
        end(3, f"{path}: not a document of smoothimg-bench --json")


def main():
    parser = argparse.ArgumentParser(prog="plot.py", usage=__doc__.split("usage: ")[1].splitlines()[0])
    parser.add_argument("--only", choices=["roofline", "ladders"])
    parser.add_argument("document")
    parser.add_argument("picture", type=Path)
    options = parser.parse_args()
    form = options.picture.suffix.lower()
    if form not in (".svg", ".png", ".pdf"):
        end(2, f"{options.picture}: name a .svg, .png or .pdf")
    document, heading = read(options.document)
    is_counts = "sector_bytes" in document
    is_libraries = document.get("program") == "compare.py"
    is_memory = document.get("suite") == "memory" and not is_counts
    if options.only and not is_memory:
        end(2, f"--only {options.only}: for a document of --suite memory")
    panels = list(sector_panels(document) if is_counts else library_panels(document) if is_libraries else
                  memory_panels(document, options.only) if is_memory else variant_panels(document))
    if not panels:
        end(3, f"{options.document}: no row in it was timed or counted")
    try:
        figure = draw_page(heading, panels)
    except ImportError:
        end(4, "needs matplotlib; install Debian's python3-matplotlib, or run ./setup.sh --developer")
    picture = io.BytesIO()
    when = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[form]
    figure.savefig(picture, format=form[1:], dpi=144, metadata=when)
    try:
        options.picture.write_bytes(picture.getvalue())
    except OSError as fault:
        end(5, f"{options.picture}: cannot be written: {fault.strerror}")


if __name__ == "__main__":
    main()
