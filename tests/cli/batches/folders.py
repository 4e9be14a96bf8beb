# SPDX-License-Identifier: MIT
"""Tests folders: the results of an input folder's images are written to the output folder under the same names, and a
bad image does not stop the others.

usage: folders.py PROGRAM IMAGES GROUP"""
import os
import re

import program
from program import summary

GOOD = ("flat.pgm", "two.pgm", "rgb.ppm", "alpha.pam", "letters.pbm", "palette.png", "alpha16.png", "dot.pgm")


def singly(workshop, *options, names=GOOD):
    """Runs the program once for each file. Returns {name: bytes of the output}."""
    results = {}
    for name in names:
        results[name] = workshop.made(*options, workshop.images / name, "one-" + name)
        (workshop.folder / ("one-" + name)).unlink()
    return results


def same_names(workshop):
    """The program creates the output folder unless it exists. Each output has the same bytes as from a run with its
    input alone."""
    workshop.make_folder("in", *GOOD)
    for options in ([], ["--halo", "2", "--edge", "zero"], ["--op", "transpose", "-j1"]):
        wanted = singly(workshop, *options)
        for operands in (["in", "out"], ["in/", "out"], ["in", "out/"], ["./in", "out/../out"]):
            ended = workshop.run(*options, *operands).without_notes()
            workshop.check(ended == (0, b"", summary(len(GOOD), 0)), f"{operands}: {ended}")
            workshop.check(workshop.outputs() == wanted,
                           f"{options} {operands}: other files or bytes than one by one")
    workshop.check(workshop.run("-q", "in", "out") == (0, b"", ""), "-q does not silence a folder")
    ended = workshop.run("-v", "in", "out")
    workshop.check(ended.err.count("status done, ") == len(GOOD) and not ended.out, "-v of a folder")


def bad_among_good(workshop):
    folder = workshop.make_folder("in", *GOOD, "broken/truncated.pgm", "broken/bad_crc.png")
    (workshop.folder / "out").mkdir()
    (workshop.folder / "out" / "truncated.pgm").write_bytes(b"old")
    ended = workshop.run("-j1", "in", "out")
    workshop.check(re.fullmatch(r"smoothimg: in/bad_crc\.png: damaged: wrong checksum in the image data .*\n"
                                r"smoothimg: in/truncated\.pgm: the header declares .*\n"
                                + re.escape(summary(len(GOOD), 2)), ended.err), ended.err)
    workshop.check(ended.status == 1 and not ended.out, f"a bad file: exit status {ended.status}")
    wanted = {**singly(workshop), "truncated.pgm": b"old"}
    workshop.check(workshop.outputs() == wanted, "other files beside a bad one")
    ended = workshop.run("-q", "in", "out")
    workshop.check(ended.status == 1 and ended.err.count("\n") == 2, f"-q: {ended}")
    for name in GOOD:
        (folder / name).unlink()
    ended = workshop.run("in", "bad")
    workshop.check(ended.status == 1 and ended.err.endswith(summary(0, 2)), f"all bad: {ended}")
    workshop.check(workshop.outputs("bad") == {}, "outputs of bad files")


def left_alone(workshop):
    """In an input folder, the program skips and counts files that are no images, backups (NAME~), its own temporary
    outputs, and pipes. It does not enter subfolders. A dangling link with the name of an image is an error."""
    folder = workshop.make_folder("in", "flat.pgm", "broken/foreign.gif")
    workshop.make_folder("in/sub", "rgb.ppm")
    workshop.make_folder("in/sub.pgm")
    os.mkfifo(folder / "pipe.pgm")
    (folder / "dangling.pgm").symlink_to("absent.pgm")
    (folder / "notes.txt").write_text("no image\n")
    (folder / "old.pgm~").write_bytes((folder / "flat.pgm").read_bytes())
    (folder / "empty").write_bytes(b"")
    (folder / "link.pgm").symlink_to("flat.pgm")
    (folder / "unnamed").write_bytes((folder / "flat.pgm").read_bytes())
    (folder / "misnamed.gif").write_bytes((folder / "flat.pgm").read_bytes())
    (folder / "UPPER.PGM").write_bytes((folder / "flat.pgm").read_bytes())
    for name in (".flat.pgm.1.smoothimg", ".flat.pgm.100.smoothimg"):  # names of temporary outputs
        (folder / name).write_bytes((folder / "flat.pgm").read_bytes())
    dead = "smoothimg: in/dangling.pgm: cannot be opened: No such file or directory\n"
    workshop.check_says("in out", dead + summary(5, 1, others=7), 1)
    wanted = ["UPPER.PGM", "flat.pgm", "link.pgm", "misnamed.gif", "unnamed"]
    workshop.check(sorted(workshop.outputs()) == wanted,
                   f"from other things: {list(workshop.outputs())}")
    results = set(workshop.outputs().values())
    workshop.check(len(results) == 1, "one image under five names gives different results")


def shown_names(workshop):
    """No printed name can contain a control sequence for the terminal."""
    name = b"\x1b[31mred\x07\n\xc2\x9b.pgm"
    shown = r"\033[31mred\007\012\302\233.pgm"
    folder = workshop.make_folder("in")
    (folder / os.fsdecode(name)).write_bytes((workshop.images / "flat.pgm").read_bytes())
    for words in (("--dry-run",), ("-v",), ("-v", "--skip-existing"), ("--no-clobber",)):
        ended = workshop.run(*words, "in", "out")
        text = ended.out.decode() + ended.err
        workshop.check(shown in text and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), f"{words}: {text!r}")
    ended = workshop.run(b"in/" + name + b"x", "out.pgm")
    workshop.check(ended.err.startswith(f"smoothimg: in/{shown}x: cannot be opened"), f"{ended}")


def in_order(workshop):
    """With one thread, files are processed in the order of the bytes of their names, in every locale."""
    names = ["10.pgm", "9.pgm", "B.pgm", "_.pgm", "a.pgm", "c.pgm", "ä.pgm"]
    folder = workshop.make_folder("in")
    for name in reversed(names):
        (folder / name).write_bytes(b"bad")
    for locale in ("C", "C.UTF-8", "en_US.UTF-8"):
        ended = workshop.run("-j1", "in", "out", env={**os.environ, "LC_ALL": locale})
        found = re.findall(r"^smoothimg: in/(\S+): ", ended.err, re.M)
        workshop.check(found == names, f"{locale}: in the order {found}")


def one_other(workshop):
    workshop.make_folder("in", "broken/foreign.gif")
    workshop.make_folder("out")  # a run makes it, even if it then has no file to write there
    for words in ("in out", "-O out in", "--in-place in"):
        workshop.check_ends(words, 1, f"no supported images in in\n"
                            f"{summary(0, 0, others=1)[:-1]}")
    workshop.check_says("--dry-run in out", "smoothimg: no supported images in in\nsmoothimg: 0 to do, 0 failed, 1 file "
                        "skipped (not a supported image)\n", 1)
    ended = workshop.run("-q", "in", "out")
    workshop.check(ended.status == 1 and ended.err.count("\n") == 1, f"-q: {ended}")


def which_others(workshop):
    """The summary counts files that are no images as skipped, and does not count folders and links to folders."""
    folder = workshop.make_folder("in")
    (folder / "sub").mkdir()
    (folder / "way").symlink_to("sub")
    for name in ("a.GIF", "b.gif", "c.webp", "d.fits", "notes", "e.txt"):
        (folder / name).write_bytes(b"x")
    said = ["smoothimg: no supported images in in; -r enters subfolders", summary(0, 0, others=6)]
    workshop.check_says("-v in out", "\n".join(said), 1)


def closed_folder(workshop):
    nobody = program.as_nobody(workshop)
    workshop.make_folder("in", *GOOD).chmod(0)
    workshop.check_ends("in out", 3, "in: cannot read this folder: Permission denied", **nobody)
    (workshop.folder / "in").chmod(0o700)


def empty_folder(workshop):
    workshop.make_folder("in")
    for words in (["in", "out"], ["--in-place", "in"]):
        workshop.check_says(words, summary(0, 0))
    workshop.check(workshop.content() == {b"in": None, b"out": None}, "of an empty folder")


def same_folder(workshop):
    """The program refuses outputs that would replace inputs, unless --in-place allows this."""
    folder = workshop.make_folder("in", *GOOD)
    (workshop.folder / "link").symlink_to("in")
    for output in ("in", "./in", "link"):
        said = workshop.said_at_end(["in", output], 2)
        workshop.check(said.count("--in-place") == 1, f"{output}: {said}")
    for operands in (["in", "in"], ["in", "link"], ["link", "in/rgb.ppm"]):
        workshop.check_ends(["--in-place", *operands], 2, re.compile(".*nothing was done.*"))
    for operands in (["in"], ["link"]):
        for name in GOOD:
            (folder / name).write_bytes((workshop.images / name).read_bytes())
        workshop.check_says(["--in-place", *operands], summary(len(GOOD), 0))
        workshop.check(workshop.outputs("in") == singly(workshop), f"--in-place {operands}: other bytes")


def one_output(workshop):
    """The program refuses two inputs whose outputs are one file under two names: by a link to a file, by a link to a
    folder, also to one whose subfolder does not exist yet, or by another way to write the name. Links to different
    files, and two names of a file (hard links), are two outputs."""
    workshop.make_folder("in", "flat.pgm", "rgb.ppm")
    for folder in ("in/a", "in/c"):
        workshop.make_folder(folder)
        workshop.make_folder(folder + "/b", "flat.pgm")
    (workshop.folder / "other.pgm").write_bytes((workshop.images / "dot.pgm").read_bytes())
    (workshop.folder / "other.png").write_bytes((workshop.images / "palette.png").read_bytes())
    for folder, link, target in (("file", "rgb.ppm", "flat.pgm"), ("folder", "c", "a")):
        (workshop.folder / folder / "a").mkdir(parents=True)
        (workshop.folder / folder / "flat.pgm").write_bytes(b"old")
        (workshop.folder / folder / link).symlink_to(target)
    for words, names in (("in file", "file/flat.pgm and file/rgb.ppm"), ("-r in folder", "folder/a/b/flat.pgm and folder/c/b/flat.pgm"),
                         ("--suffix _s --format npy other.pgm in/../other.png", "other_s.npy and in/../other_s.npy")):
        workshop.check_ends(words, 2, re.compile(f".*{re.escape(names)}, to be made from .*"))
    (workshop.folder / "file/rgb.ppm").unlink()
    os.link(workshop.folder / "file/flat.pgm", workshop.folder / "file/rgb.ppm")
    workshop.check_works("-q", "in", "file")
    wanted = singly(workshop, names=("flat.pgm", "rgb.ppm"))
    found = {name: (workshop.folder / "file" / name).read_bytes() for name in wanted}
    workshop.check(found == wanted, "hard links: other bytes")


def old_outputs(workshop):
    workshop.make_folder("in", *GOOD)
    (workshop.folder / "out").mkdir()
    for name in ("flat.pgm", "rgb.ppm"):
        (workshop.folder / "out" / name).write_bytes(b"old")
    ended = workshop.run("--no-clobber", "in", "out")
    workshop.check(ended.status == 1 and ended.err.endswith(summary(len(GOOD) - 2, 2)), ended)
    workshop.check("out/rgb.ppm: exists already, and --no-clobber keeps it" in ended.err, ended)
    wanted = {**singly(workshop), "flat.pgm": b"old", "rgb.ppm": b"old"}
    workshop.check(workshop.outputs() == wanted, "--no-clobber")
    workshop.check(workshop.run("-q", "in", "out").status == 0, "over old outputs")
    workshop.check(workshop.outputs() == singly(workshop), "over old outputs")


if __name__ == "__main__":
    program.main(__doc__, {
        "results": [same_names, bad_among_good, old_outputs],
        "names": [left_alone, shown_names, in_order],
        "faults": [one_other, which_others, closed_folder, empty_folder,
                   same_folder, one_output],
    })
