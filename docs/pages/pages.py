#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py ROOT SMOOTHIMG MANDOC FOLDER: writes the documentation as pages of HTML, which need no
script and no network: the manuals, the guided tour with its pictures, a gallery, benchmarks, the API of
the Python package from its docstrings, and the sources of GPU variants. These variants form a ladder for
each operation, from the simplest one to the fastest; each is a rung."""
import ast
import json
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pictures"))
from pictures import LADDER  # noqa: E402

PAGES = {"index": "smoothimg", "tour": "guided tour", "rungs": "rungs", "gallery": "gallery",
         "smoothimg.1": "the program", "smoothimg.3": "C", "python": "Python", "smoothimg-bench.1": "smoothimg-bench",
         "benchmarks": "benchmarks"}
MANUALS = {"smoothimg.1": "smoothimg.1", "smoothimg.3": "smoothimg.3", "smoothimg-bench.1": "smoothimg-bench.1",
           "smoothimg-memory.7": "tour"}
# The pictures of the tour, by the number of the section that they follow. A pair is a file's stem and its title.
STOPS = {"3": [("sectors-smooth", "The sectors that one access of a warp touches, in each rung")],
         "4": [("tile", "The sectors that a block loads for its outputs")],
         "6": [("banks", "The banks that lanes use when they read a column of a tile")],
         "7": [("sectors-transpose", "The sectors that one access of a warp touches when an image is transposed")],
         "11": [("ladder", "Sectors of each rung, and times where they were measured")]}
# For each rung (GPU variant) whose source is not the single file OP/NAME.cu: those of its files in kernels/ that the
# page shows. NAME.html in this folder introduces them.
FILES = {("smooth", "fused"): ("smooth/fused/window.cuh", "smooth/fused/arithmetic.cuh")}
OPERATIONS = ("--op smooth --sigma 2", "--op gradient --sigma 1", "--op laplace --sigma 1", "--op sharpen --sigma 2",
              "--op difference --sigma 2", "--op transpose", "--op reverse")  # the picture in README.md has the first two
EDGES = ("reflect", "clamp", "mirror", "wrap", "zero")


def page(name, title, body):
    links = "".join(f'<a href="{each}.html">{text}</a>' for each, text in PAGES.items())
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
            f'<link rel="stylesheet" href="style.css">\n</head>\n<body>\n<nav>{links}</nav>\n<main>\n{body}\n</main>\n'
            "</body>\n</html>\n")


def figure(source, text, size=""):
    return (f'<figure><img src="{source}" alt="{escape(text, quote=True)}"{size}>'
            f"<figcaption>{escape(text)}</figcaption></figure>\n")


def table(head, rows):
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = [f"<td>{escape(row[0])}</td>" + "".join(f'<td class="figure">{escape(cell)}</td>' for cell in row[1:])
             for row in rows]
    return f'<table class="figures"><tr>{cells}</tr>\n' + "\n".join(f"<tr>{line}</tr>" for line in lines) + "</table>\n"


# --- The manuals, one of which is the tour.

def manual(mandoc, path):
    """Returns the manual as HTML. References to manuals that are pages here become links."""
    html = subprocess.run([mandoc, "-T", "html", "-O", "fragment,man=%N.%S.html", path], check=True, capture_output=True,
                          text=True).stdout

    def link(found):
        target = MANUALS.get(found[2].removesuffix(".html"))
        return f'<a{found[1]}href="{target}.html"{found[3]}>{found[4]}</a>' if target else found[4]
    html = re.sub(r'<a([^>]*?)href="([\w.+-]+\.\d\w*\.html)"([^>]*)>(.*?)</a>', link, html, flags=re.S)
    # mandoc writes hyphens differently in references and in headings, so only their letters are compared.
    ids = {letters(each): each for each in re.findall(r' id="([^"]*)"', html)}
    return re.sub(r'href="#([^"]*)"', lambda found: f'href="#{ids.get(letters(found[1]), found[1])}"', html)


def letters(name):
    return re.sub(r"\W|_", "", name)


def with_pictures(html):
    for stop, pictures in STOPS.items():
        text = "".join(figure(f"{name}.svg", caption) for name, caption in pictures)
        html, count = re.subn(rf'(<h2 class="Ss" id="{stop}\._.*?</section>)',
                              lambda found: found[1].removesuffix("</section>") + text + "</section>", html, flags=re.S)
        assert count == 1, f"the tour has no stop {stop}"
    return html


# --- The rungs.

def rung(root, op, name):
    files = FILES.get((op, name), (f"{op}/{name}.cu",))
    introduction = (Path(__file__).parent / f"{name}.html").read_text() if (op, name) in FILES else ""
    return f'<h2 id="{op}-{name}">{name}</h2>\n{introduction}' + "".join(
        f"<h3><code>kernels/{file}</code></h3>\n<pre>{escape((root / 'kernels' / file).read_text())}</pre>\n" for file in files)


def rungs(root):
    html = "<h1>The rungs of the ladder</h1>\n<p>Each file says in its head what it improves, and what is still slow. " \
        "<code>ninja -C build editions</code> writes each rung, but for two that use many files, as one file with a " \
        "main.</p>\n" + figure("ladder.svg", "The ladder")
    for op, names in LADDER.items():
        html += f'<h1 id="{op}">{op}</h1>\n' + figure(f"sectors-{op}.svg", f"The sectors that one access of a warp touches: {op}")
        html += "".join(rung(root, op, name) for name in names)
    return html


# --- The gallery.

def make_image(smoothimg, words, source, target):
    subprocess.run([smoothimg, "-q", *words.split(), source, target], check=True)


def entry(smoothimg, root, folder, name, words, scale):
    """Runs smoothimg with the options `words` on an image. Returns a figure of the result, with the options below it."""
    target = re.sub(r"\W+", "-", f"{Path(name).stem} {words}").strip("-") + ".png"
    make_image(smoothimg, words or "--halo 0", root / "images" / name, folder / target)
    width, height = (int.from_bytes((folder / target).read_bytes()[i:i + 4], "big") for i in (16, 20))
    return figure(target, words or name, f' width="{width * scale}" height="{height * scale}"')


def gallery(smoothimg, root, folder):
    rows = (("Operations", "colours.png", ("", *OPERATIONS), 2),
            ("Edge rules, with a filter that reaches far beyond the edge", "colours.png",
             ("", *(f"--halo 60 --edge {rule}" for rule in EDGES)), 2),
            ("Halos", "chart.png", ("", *(f"--halo {halo}" for halo in (1, 4, 16))), 1),
            ("Alpha: the hidden colour is green", "badge.png",
             ("", "--halo 6 --alpha weighted", "--halo 6 --alpha separate"), 4),
            ("Light: of a chart, as it is stored and as it shines", "chart.png",
             ("--halo 8", "--halo 8 --linear"), 1))
    html = "<h1>Gallery</h1>\n"
    for title, name, all_words, scale in rows:
        figures = "".join(entry(smoothimg, root, folder, name, words, scale) for words in all_words)
        html += f'<h2>{title}</h2>\n<div class="gallery">\n{figures}</div>\n'
    return html


# --- Benchmarks.

def of_machine(document):
    """Returns {(place, variant): {image: {halo: seconds}}} from the results of a run of smoothimg-bench. place: "gpu",
    or the CPU's instruction set and number of threads."""
    times = {}
    for group in document["groups"]:
        samples = {255: "u8", 65535: "u16"}.get(group["maxval"], "float")
        image = (f"{samples} x {group['channels']}{' weighted' * (group['alpha'] == 'weighted')} "
                 f"{group['width']} x {group['height']}")
        for row in group["rows"]:
            place = "gpu" if row["place"] == "gpu" else f"{document['machine']['isa']} {group['threads']} threads"
            if row["row"] not in ("copy", "api") and row["outcome"] == "timed":
                times.setdefault((place, row["row"]), {}).setdefault(image, {})[group["halo"]] = row["median_s"]
    return times


def benchmarks(root):
    html = "<h1>Benchmarks</h1>\n<p>Milliseconds of a smooth, in memory, by <code>smoothimg-bench</code>; " \
        "images are named by samples, channels, width and height.</p>\n"
    for path in sorted((root / "src/bench/history").glob("*.json")):
        document = json.loads(path.read_text())
        machine, gpu = document["machine"], document.get("gpu") or {}
        html += f"<h2>{escape(machine['cpu'])}, {machine['processors']} processors" + \
            (f"; {escape(gpu['name'])}" if gpu else "") + f"</h2>\n<p>Commit {escape(document['commit'])}.</p>\n"
        for (place, name), images in of_machine(document).items():
            halos = sorted({halo for times in images.values() for halo in times})
            html += f"<h3>{escape(name)}, {escape(place)}</h3>\n" + table(
                ["image", *(f"halo {halo}" for halo in halos)],
                [[image, *(f"{1000 * times[halo]:.3g}" if halo in times else "" for halo in halos)]
                 for image, times in images.items()])
    return html


# --- The Python package.

def public_names(package):
    """Returns the names in __all__."""
    tree = ast.parse((package / "__init__.py").read_text())
    return next(ast.literal_eval(node.value) for node in tree.body
                if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")


def docstring(path):
    return ast.get_docstring(ast.parse(path.read_text())) or ""


def definitions(package, module):
    for node in ast.parse((package / module).read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            yield node


def signature(node):
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}"
    if any(ast.unparse(each) == "property" for each in node.decorator_list):
        return node.name
    return f"{node.name}({ast.unparse(node.args).removeprefix('self').removeprefix(', ')})"


def prose(docstring):
    return f'<pre class="docstring">{escape(docstring)}</pre>\n'


def described(node, prefix=""):
    html = f'<h2 id="{prefix}{node.name}"><code>{escape(prefix + signature(node))}</code></h2>\n' + \
        prose(ast.get_docstring(node))
    for method in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(method, ast.FunctionDef) and ast.get_docstring(method) and not method.name.startswith("_"):
            html += described(method, f"{node.name}.")
    return html


def python_api(root):
    package = root / "python/smoothimg"
    names = public_names(package)
    html = "<h1>The Python package</h1>\n" + prose(docstring(package / "__init__.py"))
    found = {node.name: node for path in sorted(package.glob("_[a-z]*.py")) for node in definitions(package, path.name)}
    html += "".join(described(found[name]) for name in names if name in found)
    for module in ("dask", "ome_zarr"):
        html += f"<h1>smoothimg.{module}</h1>\n" + prose(docstring(package / f"{module}.py"))
        html += "".join(described(node, f"{module}.") for node in definitions(package, f"{module}.py")
                        if not node.name.startswith("_"))
    return html


INDEX = """<h1>smoothimg</h1>
<p>{}</p>
<dl>
<dt><a href="tour.html">A guided tour</a></dt><dd>from the simplest kernel to the fastest, in an hour, without a GPU</dd>
<dt><a href="rungs.html">The rungs of the ladder</a></dt><dd>their sources, and the sectors that their warps touch</dd>
<dt>Exercises</dt><dd><code>ninja -C build notebook</code> writes <code>build/docs/ladder.ipynb</code> for Jupyter, with six
exercises that need no GPU</dd>
<dt><a href="gallery.html">Gallery</a></dt><dd>what each operation and each edge rule does</dd>
<dt><a href="smoothimg.1.html">The program</a></dt><dd>its manual</dd>
<dt><a href="smoothimg.3.html">The library for C</a></dt><dd>its manual</dd>
<dt><a href="python.html">The Python package</a></dt><dd>its functions</dd>
<dt><a href="smoothimg-bench.1.html">smoothimg-bench</a></dt><dd>measures kernels, and counts their memory accesses</dd>
<dt><a href="benchmarks.html">Benchmarks</a></dt><dd>times over ranges of sizes and halos</dd>
</dl>
"""


def index(root):
    first = (root / "README.md").read_text().split("\n\n")[1]
    return INDEX.format(escape(first)) + figure("ladder.svg", STOPS["11"][0][1])


def main(root, smoothimg, mandoc, folder):
    root, folder = Path(root), Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(Path(__file__).parent / "style.css", folder)
    for picture in (root / "images/docs").glob("*.svg"):
        shutil.copy(picture, folder)
    bodies = {target: manual(mandoc, root / "man" / name) for name, target in MANUALS.items()}
    bodies["tour"] = with_pictures(bodies["tour"])
    bodies |= {"index": index(root), "rungs": rungs(root), "gallery": gallery(smoothimg, root, folder),
               "benchmarks": benchmarks(root), "python": python_api(root)}
    for name, title in PAGES.items():
        (folder / f"{name}.html").write_text(page(name, f"smoothimg: {title}" if name != "index" else title, bodies[name]))


if __name__ == "__main__":
    main(*sys.argv[1:])
