# SPDX-License-Identifier: MIT
"""Tests batches: folders with subfolders, lists of files, names of outputs, and files that are skipped, fail or
conflict.

usage: batches.py PROGRAM IMAGES GROUP"""
import os
import re
import resource
import shutil
import subprocess
import time

import program
from png_reader import GREY
from png_writer import png_file
from program import summary
from tiff_files import DEFLATE, tiff_file

BAD = b"P5 9 9 255\nshort"


def tree(workshop, folder="out"):
    """Returns the sorted paths of all files below the folder, relative to it."""
    root = workshop.folder / folder
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())


def check_run(workshop, words, status, text, wanted, folder="out"):
    """Runs the program. Checks its status and messages, and that the folder then has exactly the wanted files."""
    ended = workshop.run(*words)
    workshop.check((ended.status, ended.out) == (status, b""), f"{words}: {ended}")
    good = text.fullmatch(ended.err) if isinstance(text, re.Pattern) else text == ended.err
    workshop.check(good, f"{words}: said {ended.err!r}, not {text!r}")
    found = tree(workshop, folder) if (workshop.folder / folder).exists() else None
    workshop.check(found == wanted, f"{words}: {found}, not {wanted}")


def deep(workshop):
    """With -r the program enters subfolders, and the outputs have the same subfolders. Without -r it does not enter
    them."""
    workshop.plant("in/a.pgm", "in/b/c.pgm", "in/b/d/e.pgm", "in/b/d.pgm", "in/z/a.pgm")
    (workshop.folder / "in/empty").mkdir()
    (workshop.folder / "in/z/notes").write_text("no image\n")
    (workshop.folder / "in/loop").symlink_to(".")
    names = ["a.pgm", "b/c.pgm", "b/d.pgm", "b/d/e.pgm", "z/a.pgm"]
    for words in (["-r", "in", "out"], ["-r", "in//", "out/"], ["-O", "out", "--recursive", "in"],
                  ["-r", "-O", "././out///", "in"]):
        check_run(workshop, words, 0, summary(5, 0, others=1), names)
        shutil.rmtree(workshop.folder / "out")
    check_run(workshop, ["in", "out"], 0, summary(1, 0), ["a.pgm"])


def within_itself(workshop):
    """The output folder may be in the input folder. Files in the output folder are never inputs."""
    workshop.plant("in/a.pgm", "in/b/c.pgm")
    for _ in range(2):
        check_run(workshop, ["-r", "in", "in/out"], 0, summary(2, 0), ["a.pgm", "b/c.pgm"], "in/out")
    check_run(workshop, ["-r", "--in-place", "in/b"], 0, summary(1, 0), ["c.pgm"], "in/b")


def several(workshop):
    """With -O, an output is named by the last part of its input's path, or by the part after /./. Outputs for the files
    of an input folder keep the path below this folder."""
    workshop.plant("a/x.pgm", "b/y.pgm", "b/c/z.pgm", "top.pgm")
    for words, names in (
            (["a/x.pgm", "b", "top.pgm"], ["top.pgm", "x.pgm", "y.pgm"]),
            (["-r", "a", "b"], ["c/z.pgm", "x.pgm", "y.pgm"]),
            (["a/./x.pgm", "./b/c/z.pgm", "./b/./c/z.pgm"], ["c/z.pgm", "x.pgm", "z.pgm"]),
            (["-r", "./././b/"], ["b/c/z.pgm", "b/y.pgm"])):
        check_run(workshop, ["-O", "out", *words], 0, summary(len(names), 0), names)
        shutil.rmtree(workshop.folder / "out")


def suffixes(workshop):
    workshop.plant("in/a.pgm", "in/b.c.PGM", "in/plain", "in/foreign.gif", "in/d/.e.pgm")
    check_run(workshop, ["-r", "--suffix", "_s", "in", "out"], 0, summary(5, 0),
              ["a_s.pgm", "b.c_s.PGM", "d/.e_s.pgm", "foreign_s.gif", "plain_s"])
    shutil.rmtree(workshop.folder / "out")
    check_run(workshop, ["-r", "--suffix", "-halo", "--format", "png", "in", "out"], 0, summary(5, 0),
              ["a-halo.png", "b.c-halo.png", "d/.e-halo.png", "foreign.gif-halo.png", "plain-halo.png"])
    for path in (workshop.folder / "out").rglob("*.png"):
        workshop.check(path.read_bytes().startswith(b"\x89PNG"), f"{path} is no PNG")
    check_run(workshop, ["--suffix", "_s", "in", "in"], 0, summary(4, 0),
              ["a.pgm", "a_s.pgm", "b.c.PGM", "b.c_s.PGM", "d/.e.pgm", "foreign.gif", "foreign_s.gif",
               "plain", "plain_s"], "in")


def listed(workshop):
    """--files-from reads a list of file names with newlines or zero bytes between them. The output of ./DIR/FILE
    (find prints such names) is DIR/FILE in the output folder."""
    names = ["a/x.pgm", "a/b/y.pgm", "top.pgm", "a/line\nfeed.pgm"]
    workshop.plant(*names)
    lines = "\n\n".join("./" + name for name in names[:3])
    for end in ("", "\n"):
        (workshop.folder / "list").write_text(lines + end)
        check_run(workshop, ["-O", "out", "--files-from", "list"], 0, summary(3, 0),
                  ["a/b/y.pgm", "a/x.pgm", "top.pgm"])
        shutil.rmtree(workshop.folder / "out")
    for end in ("", "\0"):
        data = ("\0".join(["./" + name for name in names]) + end).encode()
        workshop.check_says("-q -O out --files-from -", "", data=data)
        workshop.check(tree(workshop) == sorted(names), f"a list with zeros: {tree(workshop)}")
        shutil.rmtree(workshop.folder / "out")
    ended = workshop.run("-O", "out", "--files-from", "-", "top.pgm", data=b"a/x.pgm\na/./b/y.pgm\n")
    workshop.check(ended.err == summary(3, 0), f"a list beside an operand: {ended}")
    workshop.check(tree(workshop) == ["b/y.pgm", "top.pgm", "x.pgm"], f"without ./: {tree(workshop)}")
    workshop.check_says("-O none --files-from -", summary(0, 0))
    ended = workshop.run("-O", "out", "--files-from", "-", data=b"./absent.pgm\n./top.pgm\n")
    workshop.check(ended.status == 1 and ended.err.endswith(summary(1, 1)) and
                   "./absent.pgm: cannot be opened: No such file" in ended.err, f"absent: {ended}")


def replaced(workshop):
    """With --in-place, every operand and every name of a list is an input, and is replaced. No other file changes."""
    image = (workshop.images / "gradient12.pgm").read_bytes()
    smooth = workshop.check_works(workshop.images / "gradient12.pgm", "-")
    names = ["in/a.pgm", "in/b/c.pgm", "in/d.pgm", "top.pgm", "last.pgm"]
    everything = {"list": b"./in/b/./c.pgm\nlast.pgm\n", **dict.fromkeys(names, image)}
    for words, changed in (
            (["top.pgm", "last.pgm"], {"top.pgm", "last.pgm"}),
            (["in", "top.pgm"], {"in/a.pgm", "in/d.pgm", "top.pgm"}),
            (["-r", "in", "last.pgm"], {"in/a.pgm", "in/b/c.pgm", "in/d.pgm", "last.pgm"}),
            (["--files-from", "list"], {"in/b/c.pgm", "last.pgm"}),
            (["--files-from", "-"], {"in/b/c.pgm", "last.pgm"}),
            (["in", "--files-from", "list"], {"in/a.pgm", "in/d.pgm", "in/b/c.pgm", "last.pgm"}),
            (["./in/../top.pgm", "in/./b/c.pgm"], {"top.pgm", "in/b/c.pgm"})):
        for name, data in everything.items():
            workshop.plant(name, data=data)
        workshop.check_says(["--in-place", *words], summary(len(changed), 0), data=everything["list"])
        wanted = {name: smooth if name in changed else data for name, data in everything.items()}
        found = {name: (workshop.folder / name).read_bytes() for name in tree(workshop, ".")}
        workshop.check(found == wanted, f"--in-place {words}: another file changed, or one did not")
    workshop.plant("in/a.pgm", data=BAD)
    workshop.plant("in/b/c.pgm", "top.pgm", data=image)
    ended = workshop.run("-r", "--in-place", "in", "absent.pgm")
    workshop.check(ended.status == 1 and ended.err.endswith(summary(2, 2)), f"{ended}")
    workshop.check((workshop.folder / "in/a.pgm").read_bytes() == BAD, "a bad input has changed")


def skipped(workshop):
    """--skip-existing leaves existing outputs as they are, and makes missing and empty ones."""
    workshop.plant("in/a.pgm", "in/b/c.pgm", "in/d.pgm")
    workshop.plant("out/a.pgm", data=b"old")
    (workshop.folder / "out/d.pgm").write_bytes(b"")  # an empty output, as a crash of the machine leaves it
    check_run(workshop, ["-r", "--skip-existing", "in", "out"], 0, summary(2, 0, skipped=1),
              ["a.pgm", "b/c.pgm", "d.pgm"])
    workshop.check((workshop.folder / "out/a.pgm").read_bytes() == b"old", "it was not skipped")
    workshop.check((workshop.folder / "out/d.pgm").stat().st_size > 0, "an empty output was skipped")
    before = workshop.content()
    check_run(workshop, ["-rv", "--skip-existing", "in", "out"], 0, re.compile(
        "status skipped, input in/a.pgm, output out/a.pgm, exit 0,\n    reason the output exists, (.*\n){5}" + re.escape(summary(0, 0, skipped=3))),
        ["a.pgm", "b/c.pgm", "d.pgm"])
    workshop.check_says("--skip-existing in/d.pgm out/d.pgm", "")
    workshop.check(workshop.content() == before, "a run with nothing to do changed files")
    workshop.check_works("--skip-existing", "in/d.pgm", "new.pgm")
    workshop.check((workshop.folder / "new.pgm").exists(), "a single file, not there")
    (workshop.folder / "out/d.pgm").unlink()
    (workshop.folder / "out/d.pgm").mkdir()  # no output, whatever its name
    workshop.check_says("-r --skip-existing in out",
                        "smoothimg: out/d.pgm: cannot be written: Is a directory\n" + summary(0, 1, skipped=2), 1)


def planned(workshop):
    """--dry-run prints on standard output what the run would do with each file, and writes no file."""
    workshop.plant("in/a.pgm", "in/b/c.pgm", "in/d.pgm", "out/a.pgm")
    before = workshop.content()
    for words, lines, totals in (
            (["-r", "in", "out"], ["do    in/a.pgm -> out/a.pgm  (replaced)",
                                   "do    in/b/c.pgm -> out/b/c.pgm", "do    in/d.pgm -> out/d.pgm"], "3 to do, 0 failed"),
            (["--skip-existing", "in", "out"],
             ["skip  in/a.pgm -> out/a.pgm", "do    in/d.pgm -> out/d.pgm"],
             "1 to do, 1 skipped (the output exists), 0 failed"),
            (["-n", "in", "out"],
             ["do    in/a.pgm -> out/a.pgm  (exists: will fail)", "do    in/d.pgm -> out/d.pgm"],
             "2 to do, 0 failed"),
            (["in/a.pgm", "new"], ["do    in/a.pgm -> new"], ""),
            (["in/a.pgm", "new.tif"], ["do    in/a.pgm -> new.tif"], ""),
            (["in/a.pgm", "out"], ["do    in/a.pgm -> out/a.pgm  (replaced)"], "")):
        ended = workshop.run("--dry-run", *words)
        wanted = "".join(line + "\n" for line in lines).encode()
        workshop.check(ended == (0, wanted, totals and f"smoothimg: {totals}\n"), f"--dry-run {words}: {ended}")
    workshop.check(workshop.content() == before, "--dry-run changed files")


def planned_to_fail(workshop):
    """--dry-run reads the files' headers and checks the outputs' names. It exits with the status of the real run."""
    workshop.plant("in/b.pgm")
    (workshop.folder / "in/a.pgm").touch()
    workshop.plant("in/c.pgm", data=b"P5 9 9 255\nabc")
    for name in ("cmyk.jpg",):
        shutil.copy(workshop.images / "broken" / name, workshop.folder / "in")
    before = workshop.content()
    ended = workshop.run("--dry-run", "in", "out")
    found = [line.split(": ")[0] for line in ended.out.decode().splitlines()]
    workshop.check(found == ["fail  in/a.pgm", "do    in/b.pgm -> out/b.pgm", "fail  in/c.pgm", "fail  in/cmyk.jpg"]
                   and ended.status == 1 and ended.err == "smoothimg: 1 to do, 3 failed\n", f"--dry-run: {ended}")
    for words, status in ((["in/b.pgm", "new/"], 5), (["in/b.pgm", "new/b.pgm"], 5), (["in/a.pgm", "new.pgm"], 3), (["in/cmyk.jpg", "new.pgm"], 4), (["in/b.pgm", "new.pbm"], 4), (["--format", "tif", "in/b.pgm", "/dev/null"], 4),
                          (["--op", "difference", "--offset", "256", "in/b.pgm", "new.pgm"], 2)):
        ended = workshop.run("--dry-run", *words)
        workshop.check(ended.status == status and ended.out.startswith(b"fail  ") and not ended.err, f"{words}: {ended}")
    for words in (["in", "new/out"], ["-O", "new/out/", "in/b.pgm"]):
        workshop.check_ends(["--dry-run", *words], 5, "new: no such folder; make it with mkdir -p")
    workshop.check(workshop.content() == before, "--dry-run changed files")


def fast(workshop):
    """With --fail-fast the program begins no file after one has failed."""
    workshop.plant("in/a.pgm", "in/c.pgm", "in/d.pgm")
    workshop.plant("in/b.pgm", data=BAD)
    check_run(workshop, ["-j1", "--fail-fast", "in", "out"], 1,
              re.compile(r"smoothimg: in/b\.pgm: .*\n" + re.escape(summary(1, 1, left=2))), ["a.pgm"])


def stream_as_folder(workshop):
    """`-` as an output means standard output, even if a folder named `-` exists."""
    workshop.plant("a/x.pgm", "b/y.pgm")
    (workshop.folder / "-").mkdir()
    workshop.check_ends(["a/x.pgm", "b/y.pgm", "-"], 2, re.compile("-: outputs of several inputs .*"))
    workshop.check_ends(["a", "-"], 2, re.compile("a: this is a folder, which cannot go to .*"))


def closed(workshop):
    """If a subfolder or a file cannot be read, the run reports it as failed and processes all other files."""
    nobody = program.as_nobody(workshop)
    workshop.plant("in/a.pgm", "in/b/c.pgm", "in/d.pgm")
    (workshop.folder / "in/b").chmod(0)
    workshop.check_says("-r in out", "smoothimg: in/b: cannot read this folder: Permission denied\n" + summary(2, 1), 1,
                        **nobody)
    (workshop.folder / "in/b").chmod(0o777)
    workshop.check_says("-r --skip-existing in out", summary(1, 0, skipped=2), **nobody)
    workshop.check(tree(workshop) == ["a.pgm", "b/c.pgm", "d.pgm"], f"it became {tree(workshop)}")
    workshop.plant("in/unknown")
    (workshop.folder / "in/unknown").chmod(0)
    workshop.check_says("in out", "smoothimg: in/unknown: cannot be opened: Permission denied\n" + summary(2, 1), 1,
                        **nobody)
    (workshop.folder / "in/unknown").unlink()
    (workshop.folder / "out").chmod(0o555)
    ended = workshop.run("in", "out", **nobody)
    workshop.check(ended.status == 1 and ended.err.count("Permission denied") == 0 or
                   ended.err.endswith(summary(0, 2)), f"a closed output folder: {ended}")
    (workshop.folder / "out").chmod(0o777)


def vanished(workshop):
    """If an input is deleted after the program has listed its inputs and before it opens this input, only this file
    fails."""
    workshop.plant("b.pgm", "c.pgm")
    os.mkfifo(workshop.folder / "a.pgm")
    process = workshop.start("-j1", "-O", "out", "a.pgm", "b.pgm", "c.pgm")
    with open(workshop.folder / "a.pgm", "wb") as first:  # open() returns when the program has opened a.pgm
        (workshop.folder / "b.pgm").unlink()
        first.write((workshop.folder / "c.pgm").read_bytes())
    out, err = process.communicate(timeout=program.PATIENCE)
    wanted = "smoothimg: b.pgm: cannot be opened: No such file or directory\n" + summary(2, 1)
    workshop.check((process.returncode, out, err.decode()) == (1, b"", wanted), f"vanished: {err}")
    workshop.check(tree(workshop) == ["a.pgm", "c.pgm"], f"vanished: {tree(workshop)}")


def full(workshop):
    """On a full disk, each output is either complete, or an error message names it and no part of it remains."""
    image = b"P5\n256 256\n255\n" + os.urandom(65536)
    workshop.plant(*(f"in/{i:02}.pgm" for i in range(20)), data=image)
    script = 'mount -t tmpfs -o size=400k none "$0" && "$@"; s=$?; cp -a "$0" kept; exit $s'
    (workshop.folder / "out").mkdir()
    words = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "out"]
    try:
        can = subprocess.run([*words, "true"], cwd=workshop.folder, capture_output=True).returncode == 0
    except FileNotFoundError:
        can = False
    if not can:
        raise program.Skip("no small disk can be mounted here")
    shutil.rmtree(workshop.folder / "kept")
    ended = subprocess.run([*words, workshop.program, "--halo", "0", "-j2", "in", "out"], cwd=workshop.folder, capture_output=True, text=True)
    good = [path for path in (workshop.folder / "kept").iterdir()]
    workshop.check(ended.returncode == 1 and 3 <= len(good) <= 6, f"{len(good)} fit: {ended}")
    workshop.check(all(path.read_bytes() == image for path in good), "a file is not whole")
    failed = 20 - len(good)
    workshop.check(ended.stderr.count("cannot be written: No space left on device") == failed and
                   ended.stderr.endswith(summary(len(good), failed)), ended.stderr)


def late_faults(width, height):
    """Returns {extension: bytes of a file whose fault shows only when its samples are read}."""
    rows = os.urandom(width * height)
    whole = png_file(width, height, GREY, 8, [list(rows[y * width:(y + 1) * width]) for y in range(height)])
    tiff = dict(width=width, height=height, channels=1, kind="B", samples=list(rows), compression=DEFLATE, rows=50)
    packed = tiff_file(tiff)
    middle = len(packed) // 2
    return {"png": whole[:len(whole) * 2 // 3],
            "pgm": b"P5\n%d %d\n254\n" % (width, height) + bytes(width * height - 1) + b"\xff",
            "ppm": b"P3\n%d %d\n255\n" % (width // 3, height) + b"7 " * (width // 3 * height * 3 - 1),
            "tif": packed[:middle] + bytes(3000) + packed[middle + 3000:]}


def descriptors(workshop):
    """The program closes the descriptors of good and of bad files. Each batch has 60 files, and the process may have 24
    descriptors open."""
    for end, bad in late_faults(30, 20).items():
        source = "rgb.ppm" if end == "ppm" else "flat.pgm"
        good = workshop.made("--halo", "0", workshop.images / source, f"good.{end}")
        workshop.plant(*(f"{end}/{i:02}.{end}" for i in range(30)), data=good)
        workshop.plant(*(f"{end}/{i:02}.bad.{end}" for i in range(30)), data=bad)
        for words in ("-j1 --halo 1", "-j2 --op transpose", "-j1 --verify"):
            ended = workshop.run(*words.split(), end, "out", preexec_fn=few_descriptors)
            workshop.check(ended.status == 1 and ended.err.endswith(summary(30, 30)), f"{end}, {words}: {ended}")
            shutil.rmtree(workshop.folder / "out")


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))


def memory(workshop):
    """A file that fails releases its share of --max-memory. Otherwise no memory would be left for the good files that
    follow it. Tests PNG, PGM, plain PPM and TIFF in each execution mode."""
    files = late_faults(1200, 700)
    good = b"P5\n1200 700\n255\n" + bytes(1200 * 700)
    for end, data in files.items():
        workshop.plant(*(f"{end}/{i:02}.{end}" for i in range(14)), data=data)
        workshop.plant(f"{end}/07.good.pgm", f"{end}/99.good.pgm", data=good)
        for words in ("-j1 --halo 1", "-j3 --op reverse", "-j1 --op transpose", "-j3 --verify --halo 1",
                      "-j1 --op transpose --op smooth --halo 1"):
            ended = workshop.run(*words.split(), "--max-memory", "10M", end, "out")
            workshop.check(ended.status == 1 and ended.err.endswith(summary(2, 14)) and
                           "--max-memory" not in ended.err, f"{end}, {words}: {ended}")
            workshop.check(tree(workshop) == ["07.good.pgm", "99.good.pgm"], f"{end}, {words}: {tree(workshop)}")
            shutil.rmtree(workshop.folder / "out")


def stalled(workshop):
    """A pipe whose header does not arrive as a whole blocks one thread. The other thread processes all other files."""
    names = [f"{number:02}.pgm" for number in range(40)]
    workshop.plant(*names)
    for header in (b"P5\n# no more yet", b"P7\nWIDTH 1 # no more yet"):
        os.mkfifo(workshop.folder / "pipe.pgm")
        with open(workshop.folder / "pipe.pgm", "r+b", buffering=0) as pipe:  # "r+" does not wait for a reader
            pipe.write(header)
            process = workshop.start("-q", "-j2", "-O", "out", "pipe.pgm", *names)
            deadline = time.monotonic() + program.PATIENCE
            while (found := tree(workshop)) != names and time.monotonic() < deadline:
                time.sleep(.01)
            workshop.check(found == names, f"{header}: {found}")
        with process:
            _, err = process.communicate(timeout=program.PATIENCE)
            workshop.check(process.returncode == 1 and b"pipe.pgm: " in err, f"{header}: {process.returncode} {err}")
        (workshop.folder / "pipe.pgm").unlink()
        shutil.rmtree(workshop.folder / "out")


if __name__ == "__main__":
    program.main(__doc__, {
        "trees": [deep, within_itself, several, suffixes],
        "lists": [listed, replaced],
        "again": [skipped, planned, planned_to_fail, fast],
        "faults": [stream_as_folder, closed, vanished, full, stalled],
        "memory": [memory, descriptors],
    })
