# SPDX-License-Identifier: MIT
"""Tests src/bench/scripts/plot.py, which draws the JSON output of the benchmark, here called a document: bars, lines and
points must be where the document's numbers put them.

usage: plots.py SCRIPT BENCH BENCH-WITH-GPU

The test makes the documents by running BENCH and BENCH-WITH-GPU. Exit status 77: no Python here has Matplotlib."""
import json
import math
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom
from pathlib import Path

from bench_programs import FAILURES, check

QUICK = ("--min-time", "0.001", "--repeat", "2", "--json")
CLOSE = 1e-3  # relative error: Matplotlib writes coordinates with six digits


def find_python():
    """Returns the path of a Python that has Matplotlib: this one, or else /usr/bin/python3, which has Debian's
    packages."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    print("no Python here has Matplotlib: nothing was checked")
    sys.exit(77)


class Plotter:
    def __init__(self, script, folder):
        self.command, self.folder = [find_python(), script], folder

    def run(self, *words):
        return subprocess.run([*self.command, *words], cwd=self.folder, capture_output=True, text=True)

    def draw(self, document, *words, name="plot.svg"):
        (self.folder / "document.json").write_text(json.dumps(document))
        ended = self.run(*words, "document.json", name)
        check(ended.returncode == 0, f"exit status {ended.returncode}: {ended.stderr}")
        return (self.folder / name).read_bytes()

    def marks(self, document, *words):
        """Draws the document as SVG. Returns its texts and {mark's id: points}. The points are a bar's corners, a
        line's points, or a single point."""
        tree = xml.dom.minidom.parseString(self.draw(document, *words))
        texts = [node.firstChild.data for node in tree.getElementsByTagName("text") if node.firstChild]
        marks = {}
        for group in tree.getElementsByTagName("g"):
            kind = group.getAttribute("id").split("-")[0]
            if kind in ("bar", "line"):
                path = group.getElementsByTagName("path")[0].getAttribute("d")
                points = re.findall(r"[ML] (\S+) (\S+)", path)
            elif kind == "point":
                points = [(use.getAttribute("x"), use.getAttribute("y"))
                          for use in group.getElementsByTagName("use")]
            else:
                continue
            marks[group.getAttribute("id")] = [(float(x), float(y)) for x, y in points]
        return texts, marks


def id_of(*words):
    return re.sub(r"\W+", "-", " ".join(words))


def document_of(program, *words):
    return json.loads(subprocess.run([program, *words, *QUICK], check=True, capture_output=True).stdout)


def length(bar):
    return max(x for x, _ in bar) - min(x for x, _ in bar)


def check_places(what, pairs):
    """Checks pairs (figure of the document, coordinate in the picture): the coordinate must be a linear function of the
    figure."""
    pairs = sorted(pairs)
    (low, start), (high, stop) = pairs[0], pairs[-1]
    for figure, place in pairs:
        wanted = start + (stop - start) * (figure - low) / ((high - low) or 1)
        check(abs(place - wanted) <= CLOSE * abs(stop - start) + 1e-3, f"{what}: {figure} at {place}, not {wanted}")


def check_bars(what, texts, marks, rows, key, unit):
    """Checks that each bar's length is proportional to the figure that its row of the document has under `key`, and
    that the picture shows this figure as text. `rows` is {bar's id in the SVG: row of the document}."""
    lengths = {}
    for mark, row in rows.items():
        check(mark in marks, f"{what}: no {mark} in {sorted(marks)}")
        lengths[mark] = length(marks.get(mark, [(0, 0)]))
        named = any(re.fullmatch(rf"[\d.]+ {unit}( .*)?", text) and
                    abs(float(text.split()[0]) - row[key]) <= CLOSE * row[key] + 5e-4 for text in texts)
        check(named, f"{what}: {mark} has no text of {row[key]} {unit}")
    check_places(what, [(row[key], lengths[mark]) for mark, row in rows.items()] + [(0, 0)])


def timed(group, place):
    return [row for row in group["rows"] if row["outcome"] == "timed" and row["place"] == place]


def check_variants(plotter, bench):
    document = document_of(bench, "--place", "cpu", "--size", "70x33")
    texts, marks = plotter.marks(document)
    check({"smooth on the CPU, halo 4", "transpose on the CPU"} <= set(texts), f"titles: {texts}")
    for group in document["groups"]:
        rows = {id_of("bar", group["operation"], row["row"]): row
                for row in timed(group, "cpu") if row["row"] != "copy"}
        check_bars(group["operation"], texts, marks, rows, "gb_per_s", "GB/s")
    document["groups"][0]["rows"][-1].update(outcome="different", why="a reason")
    texts, _ = plotter.marks(document)
    check("wrong, not timed" in texts, "a wrong row is not said to be wrong")


def check_sweep(plotter, bench):
    """For several halos, each variant is a line with a point for each halo, from left to right."""
    _, marks = plotter.marks(document_of(bench, "--op", "smooth", "--place", "cpu", "--size", "30", "--halo", "1,2,8"))
    for name in ("reference", "cpu", "copy"):
        across = [x for x, _ in marks.get(id_of("line", "smooth", name), [])]
        check(len(set(across)) == 3 and across == sorted(across), f"{name}: {across}")


def check_memory(plotter, bench):
    document = document_of(bench, "--suite", "memory", "--size", "40", "--max-time", "0.01")
    groups = [group for group in document["groups"] if group["group"] != "peaks"]
    place = "gpu" if document["gpu"] and not document["gpu"]["emulated"] else "cpu"
    texts, marks = plotter.marks(document)
    points = {id_of("point", group["group"], row["row"]): row for group in groups
              for row in timed(group, place) if row["flops"]}
    wanted = set(points)
    found = {mark for mark in marks if mark.startswith("point-")}
    check(wanted == found, f"points: {sorted(wanted ^ found)}")
    check("Roofline" in texts and all(row["row"] in texts for row in points.values()), f"names: {texts}")
    for group in groups:
        rows = {id_of("bar", group["group"], row["row"]): row for row in group["rows"]
                if row["outcome"] == "timed"}
        if rows:
            check_bars(group["group"], texts, marks, rows,
                       *(("gflop_per_s", "GFLOP/s") if group["group"] == "gemm" else ("gb_per_s", "GB/s")))
    for only, other in (("roofline", "bar-"), ("ladders", "point-")):
        _, marks = plotter.marks(document, "--only", only)
        check(marks and not any(mark.startswith(other) for mark in marks), f"--only {only}: {sorted(marks)}")


def check_libraries(plotter):
    """Plots the output of python/benchmarks/compare.py. One part of the picture shows each library's percentage of
    wrong samples, on an axis up to 100 %. The other part shows the times."""
    rows = [{"name": "smoothimg", "median_s": 0.0015, "share_wrong": 0},
            {"name": "Other", "median_s": 0.06, "share_wrong": 0.25},
            {"name": "Third", "median_s": 0.03, "share_wrong": 0.5}]
    document = {"program": "compare.py", "about": "some versions",
                "groups": [{"image": "9 x 9 RGB", "halo": 4, "rows": rows}]}
    texts, marks = plotter.marks(document)
    wanted = {"some versions", "9 x 9 RGB, 8 bits, radius 4", "none", "25.0 %", "50.0 %", "1.5 ms", "60 ms"}
    check(wanted <= set(texts), f"{texts}")
    for title, key in (("Samples that are not the exact result, rounded", "share_wrong"), ("Time of a call", "median_s")):
        check_places(title, [(0, 0), *((row[key], length(marks[id_of("bar", title, row["name"])])) for row in rows if row[key])])


def check_counts(plotter):
    """Plots the JSON output of --sectors. The axis is logarithmic and begins at 1/2. A bar shows how many bytes the
    kernel moves for each byte that it needs."""
    def counted(name, moved, load, store):
        return {"group": "saxpb", "row": name, "width": 9, "height": 9, "outcome": "counted", "moved": moved,
                "loads": {"sectors_per_access": load}, "stores": {"sectors_per_access": store},
                "shared_loads": {"worst_degree": 1}, "shared_stores": {"worst_degree": 1}}
    rows = [counted("unit", 1, 4, 4), counted("stride", 8, 32, 4), counted("far", 32, 32, 32)]
    texts, marks = plotter.marks({"suite": "memory", "version": "1", "sector_bytes": 32, "rows": rows})
    check_places("sectors", [(0, 0), *((math.log(2 * row["moved"]), length(marks[id_of("bar", "saxpb", row["row"])])) for row in rows)])
    check(any("32 a load, 4 a store" in text for text in texts), f"{texts}")


def check_files(plotter, bench):
    document = document_of(bench, "--place", "cpu", "--size", "9", "--op", "reverse")
    png = plotter.draw(document, name="plot.png")
    check(png[:8] == b"\x89PNG\r\n\x1a\n" and png[-8:-4] == b"IEND", "no PNG")
    check(plotter.draw(document, name="plot.pdf")[:5] == b"%PDF-", "no PDF")
    before = sorted(plotter.folder.iterdir())
    (plotter.folder / "other.json").write_text('{"rows": []}')
    for words, status, message in (
            (("document.json", "plot.gif"), 2, "plot.gif: name a .svg, .png or .pdf"),
            (("--only", "ladders", "document.json", "x.svg"), 2,
             "--only ladders: for a document of --suite memory"),
            (("missing.json", "x.svg"), 3, "missing.json: No such file or directory"),
            (("other.json", "x.svg"), 3, "other.json: not a document of smoothimg-bench --json"),
            (("document.json", "missing/x.svg"), 5,
             "missing/x.svg: cannot be written: No such file or directory")):
        ended = plotter.run(*words)
        check(ended.returncode == status and ended.stderr == f"plot.py: {message}\n", f"{words}: {ended}")
    (plotter.folder / "other.json").unlink()
    check(sorted(plotter.folder.iterdir()) == before, "files came")


def main(script, bench, with_gpu):
    with tempfile.TemporaryDirectory() as folder:
        plotter = Plotter(script, Path(folder))
        check_files(plotter, bench)
        check_libraries(plotter)
        check_counts(plotter)
        check_variants(plotter, bench)
        check_sweep(plotter, bench)
        check_memory(plotter, bench)
        check_memory(plotter, with_gpu)
    sys.exit(1 if FAILURES else 0)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
