# SPDX-License-Identifier: MIT
"""Tests valid command lines: what the program does, what it prints, and on which stream.

usage: command_line.py PROGRAM IMAGES GROUP"""
import os
import re
import shutil
import subprocess
from pathlib import Path

import program
from jpeg_files import jpeg_file
from npy_files import npy_file


def text_help(workshop):
    text = workshop.check_prints("--help")
    workshop.check(text.startswith("usage: smoothimg [options] INPUT OUTPUT"), text[:80])
    for name in ("op", "halo", "sigma", "edge", "norm", "alpha", "variant", "jobs", "verify", "format",
                 "output", "in-place", "no-clobber", "list-variants", "help", "version"):
        workshop.check(re.search(rf"^  .*--{name}\b", text, re.M), f"--help leaves --{name} out")
    statuses = re.search(r"Exit status: (.*?)\.\n", text, re.S)
    workshop.check(statuses and re.findall(r"\d", statuses.group(1)) == list("01234567"), "--help: the exit statuses")
    for title in ("Filter", "Files", "Output", "Limits", "GPU and variants", "Reports"):
        workshop.check(f"\n{title}:\n  " in text, f"--help lacks the heading {title}")
    for words in (["-h"], ["--halo", "3", "-qh", "absent.pgm"], ["a", "b", "c", "--help"],
                  ["--norm", "analytic", "--sigma", "0.01", "--help"],
                  ["--hel", "--no-such-option"], ["--variant", "no-such-variant", "--help"]):
        workshop.check(workshop.check_prints(*words) == text, f"{words}: another text than --help")


def text_examples(workshop):
    """The examples of --help work as they are printed."""
    place = workshop.make_folder("help")
    (place / "bin").mkdir()
    (place / "bin/smoothimg").symlink_to(workshop.program)
    for name in ("in.pgm", "in.png"):
        shutil.copyfile(workshop.images / ("chart.png" if name == "in.png" else "flat.pgm"), place / name)
    (place / "bin/next-program").write_text("#!/bin/sh\nexec cat > piped\n")
    (place / "bin/next-program").chmod(0o755)
    lines = re.findall("^  (smoothimg .*?)(?:   .*)?$", workshop.check_prints("--help"), re.M)
    workshop.check(len(lines) > 2, f"{lines}")
    for line in lines:
        ended = subprocess.run(["sh", "-c", line], cwd=place, capture_output=True, text=True, check=False,
                               env={**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"})
        workshop.check(ended.returncode == 0, f"{line}: {ended}")
    workshop.check((place / "piped").stat().st_size > 0, "nothing came through the pipe")


def text_version(workshop):
    for words in (["--version"], ["-V"], ["a", "b", "c", "-V"], ["--versio"]):
        text = workshop.check_prints(*words)
        workshop.check(re.fullmatch(r"smoothimg \d+\.\d+\.\d+\nwith libpng [\d.]+, zlib [\d.]+\S*, "
                                    r"libtiff [\d.]+, libjpeg-turbo [\d.]+, libnetpbm\n", text),
                       f"{words}: {text!r}")


def text_variants(workshop):
    lines = workshop.check_prints("--list-variants").splitlines()
    rows = [line.split()[:3] for line in lines]
    workshop.check(rows[0] == ["operation", "variant", "place"], f"--list-variants: {rows[0]}")
    how = lines[0].index("how")
    ragged = [line for line in lines if line[how - 1] != " " or line[how] == " "]
    workshop.check(not ragged, f"--list-variants: columns: {ragged}")
    for op in ("smooth", "transpose", "reverse"):
        for variant in ("reference", "cpu"):
            workshop.check([op, variant, "CPU"] in rows, f"--list-variants lacks {op} {variant}")
    workshop.take("flat.pgm")
    for op, variant, _ in rows[1:]:
        ended = workshop.run("--op", op, "--variant", variant, "flat.pgm", "-")
        workshop.check(ended.status in (0, 6), f"{op} {variant}: {ended.status}, {ended.err!r}")


def text_to_full_disk(workshop):
    for word in ("--help", "--version", "--list-variants"):
        with open("/dev/full", "wb") as full:
            workshop.check_ends(word, 5, "standard output: cannot be written: "
                                "No space left on device", stdout=full)


def streams(workshop):
    """`-` stands for a standard stream. (execution_modes.py compares streams and files of every format.)"""
    workshop.take("two.pgm")
    data, wanted = (workshop.folder / "two.pgm").read_bytes(), workshop.check_works("two.pgm", "-")
    for words in (["-", "-"], ["-o", "-", "two.pgm"], ["-", "-o-"]):
        workshop.check(workshop.check_works(*words, data=data) == wanted, f"{words}: other bytes")
    for words in (["two.pgm", "out.pgm"], ["-", "out.pgm"]):
        workshop.check(workshop.made(*words, data=data) == wanted, f"{words}: other bytes in a file")


def reports(workshop):
    workshop.take("flat.pgm", "two.pgm")
    plain = workshop.check_works("flat.pgm", "-")
    cases = [
        (["-v"], r"status done, input flat\.pgm, output -, exit 0, input_bytes 3085, "
                 r"width 64, height 48, channels 1, maxval 255, images 1, pixels 3072, format PGM\n"
                 r"  op smooth, variant cpu, engine cpu:\w+, device cpu, instructions (base|avx2|avx512|vnni), "
                 r"halo 4, sigma 1\.3333333333333333, edge reflect, norm sum, alpha weighted, seconds [-.e\d]+\n"
                 r"  read [-.e\d]+, write [-.e\d]+, elapsed [-.e\d]+\n"),
        (["-q"], ""),
    ]
    for words, pattern in cases:
        ended = workshop.run(*words, "flat.pgm", "-")
        workshop.check(ended.status == 0 and ended.out == plain, f"{words}: other data")
        workshop.check(re.fullmatch(pattern, ended.joined()) and all(len(line) <= 80 for line in ended.err.splitlines()), f"{words}: {ended.err!r}")
    workshop.check_tells("-v - -", "status done, input -, output -, exit 0, width 64",
                         data=(workshop.folder / "flat.pgm").read_bytes())
    both = workshop.run("-v", "--op", "transpose", "--op", "reverse", "two.pgm", "-")
    for text in ("input two.pgm, ", "width 3, height 2, ", ", images 2", "  op transpose, variant cpu, ",
                 "  op reverse, variant cpu, "):
        workshop.check(text in both.joined(), f"-v: {text!r} is not in {both.err!r}")


def abbreviations(workshop):
    workshop.take("gradient12.pgm")
    wanted = workshop.check_works("--halo", "2", "--edge", "wrap", "gradient12.pgm", "-")
    for line in ("--ha 2 --ed wrap gradient12.pgm -", "--hal=2 gradient12.pgm --ed=wrap -",
                 "gradient12.pgm - --halo 2 --edge wrap", "--halo 9 --halo 2 --edge zero "
                 "--edge wrap -j1 gradient12.pgm -", "--edge wrap --halo 2 -- gradient12.pgm -"):
        workshop.check(workshop.check_works(*line.split()) == wanted, f"{line}: other bytes")
    other = workshop.check_works("--halo", "2", "gradient12.pgm", "-")
    workshop.check(other != wanted, "--edge wrap changes nothing")
    os.rename(workshop.folder / "gradient12.pgm", workshop.folder / "-in.pgm")
    workshop.check(workshop.made("--halo", "2", "--", "-in.pgm", "-out.pgm") == other, "-- -in.pgm -out.pgm")


def filters(workshop):
    """Tests which filter --sigma, --halo and --truncate select, and the note for --sigma 2,5, which may mean 2.5.
    filters.txt has pairs of lines: an exit status and a command line, then what -v prints about its filter. --update
    writes the program's texts into filters.txt."""
    workshop.take("flat.pgm")
    (workshop.folder / "rgb.npy").write_bytes(npy_file("|u1", (20, 24, 3), list(range(240)) * 6))
    texts = program.Goldens(Path(__file__).with_name("filters.txt"))
    for status, line, number in texts:
        ended = workshop.run("-v", *line.split())
        workshop.check(ended.status == status, f"{line}: {ended}")
        found = re.findall(r" (halo \S+, sigma \S+), edge|(for one number with a fraction write .*)", ended.joined())
        texts.check(workshop, number, " | ".join(max(one) for one in sorted(found, reverse=True)))
    for line in ("--sigma 1,1,0 --sigma 1", "--halo 2,2,2 --halo 3"):  # NPY of 20 x 24 x 3: one RGB image
        once, twice = (workshop.made(*words, "rgb.npy", "out.npy") for words in (line.split()[2:], line.split()))
        workshop.check(twice == once, f"{line}: the first one counts too")
    ended = workshop.run("-q", "--sigma", "2,5", "flat.pgm", "-")
    workshop.check(ended.status == 0 and ended.err == "", f"-q: {ended}")


def jobs(workshop):
    workshop.take("flat.pgm")
    for words in (["-jall"], ["--jobs=all"], ["-j1"]):
        workshop.check_works(*words, "flat.pgm", "out.pgm")
    for size in ("1GB", "1.5G", "1.5MiB"):
        workshop.check_works("--max-memory", size, "--max-metadata", size, "flat.pgm", "out.pgm")


def in_place(workshop):
    """--in-place replaces the input file and no other file. --in-place follows symbolic links. Other hard links to the
    input keep the old bytes."""
    workshop.take("gradient12.pgm", "colours.png")
    originals = {name: (workshop.folder / name).read_bytes() for name in ("gradient12.pgm", "colours.png")}
    smooth = {name: workshop.check_works(name, "-") for name in originals}
    (workshop.folder / "misnamed.pgm").write_bytes(originals["colours.png"])
    (workshop.folder / "soft.pgm").symlink_to("gradient12.pgm")
    os.link(workshop.folder / "gradient12.pgm", workshop.folder / "hard.pgm")
    before = workshop.content()
    for operand, replaced in (("gradient12.pgm", "gradient12.pgm"), ("soft.pgm", "gradient12.pgm"),
                              ("hard.pgm", "hard.pgm"), ("misnamed.pgm", "misnamed.pgm")):
        workshop.check_works("--in-place", operand)
        source = "colours.png" if replaced == "misnamed.pgm" else "gradient12.pgm"
        wanted = {**before, replaced.encode(): smooth[source]}
        workshop.check(workshop.content() == wanted, f"in place {operand}: not only it was replaced")
        (workshop.folder / replaced).write_bytes(originals[source])


def placing(workshop):
    """-o names the output; the last operand names the output or its folder. With --no-clobber an output never replaces
    a file."""
    workshop.take("gradient12.pgm")
    smooth = workshop.check_works("gradient12.pgm", "-")
    for words in (["-o", "new.pgm", "gradient12.pgm"], ["gradient12.pgm", "--output=new.pgm"]):
        workshop.check_works(*words)
        placed = workshop.folder / "new.pgm"
        workshop.check(placed.read_bytes() == smooth, f"{words}: other bytes")
        placed.unlink()
    (workshop.folder / "sub").mkdir()
    for target in ("sub", "sub/"):
        workshop.check_works("./gradient12.pgm", target)
        placed = workshop.folder / "sub" / "gradient12.pgm"
        workshop.check(placed.read_bytes() == smooth, f"into {target}")
        placed.unlink()
    workshop.check_works("--no-clobber", "gradient12.pgm", "sub/new.pgm")
    workshop.check_ends("-n --halo 1 gradient12.pgm sub/new.pgm", 5,
                        "sub/new.pgm: exists already, and --no-clobber keeps it")
    workshop.check((workshop.folder / "sub" / "new.pgm").read_bytes() == smooth, "-n replaced it")
    workshop.check_works("-n", "gradient12.pgm", "/dev/null")
    wanted = {b"gradient12.pgm", b"sub", b"sub/new.pgm"}
    workshop.check(set(workshop.content()) == wanted, f"litter: {workshop.content().keys()}")


def second_operands(workshop):
    """The second operand may name an existing file. The program refuses to replace a JPEG or camera raw file, which may
    be a second input, and a file that is no supported image. It replaces any other image and prints a note. It replaces
    an empty file without a note."""
    workshop.take("gradient12.pgm", "rgb.ppm")
    smooth = workshop.check_works("gradient12.pgm", "-")
    workshop.plant("a.jpg", "b.jpg", "b.pgm", "bare", data=jpeg_file(9, 7))
    workshop.plant("notes", "notes.png", data=b"of a day\n")
    workshop.plant("b.nef")
    workshop.plant("empty.pgm", data=b"\n")
    (workshop.folder / "empty.pgm").write_bytes(b"")
    for name, why in (("b.jpg", "may be a photograph"), ("b.pgm", "may be a photograph"),
                      ("bare", "may be a photograph"), ("b.nef", "may be a photograph"), ("notes", "is not a supported image"), ("notes.png", "is not a supported image")):
        for words in ("a.jpg", "--dry-run a.jpg", "-q a.jpg", "--format pgm gradient12.pgm"):
            workshop.check_ends(f"{words} {name}", 5, f"{name}: exists already, and {why}; to replace it say -o {name}, "
                                "or -O and a folder if it is an input too")
    workshop.check(workshop.run("--skip-existing", "a.jpg", "b.jpg") == (0, b"", ""), "--skip-existing")
    workshop.check_ends("a.jpg a.jpg", 2, "a.jpg and a.jpg are the same file; name another output, or say --in-place")
    for words in (["-o", "b.pgm", "gradient12.pgm"], ["-o", "b.pgm", "gradient12.pgm"], ["gradient12.pgm", "empty.pgm"]):
        workshop.check(workshop.run(*words, all_said=True) == (0, b"", ""), f"{words}: refused, or something is said")
    workshop.check((workshop.folder / "b.pgm").read_bytes() == smooth, "-o: not replaced")
    for words in (["gradient12.pgm", "out.pgm", "--variant", "reference"], ["rgb.ppm", "out.png"]):
        replaced = f"smoothimg: {words[1]}: an older image of this name was replaced\n"
        said = [workshop.run(*more, *words, all_said=True).err.count(replaced) for more in ([], [], ["-q"], ["-v"])]
        workshop.check(said == [0, 1, 0, 1], f"{words}: {said}")


def preserve(workshop):
    """Only with --preserve does an output get the times of its input, however the output is named."""
    workshop.take("gradient12.pgm", "colours.png")
    for name, words, output in (("gradient12.pgm", ["out.pgm"], "out.pgm"),
                                ("gradient12.pgm", ["out.pgm"], "out.pgm"),  # the second run replaces out.pgm
                                ("colours.png", ["-O", "sub"], "sub/colours.png"),
                                ("colours.png", ["--in-place"], "colours.png")):
        path = workshop.folder / name
        os.utime(path, ns=(10**18 + 7, 10**18 + 123456789))
        ended = workshop.run("--preserve", name, *words)
        found = (workshop.folder / output).stat()
        workshop.check(ended.status == 0 and found.st_mtime_ns == 10**18 + 123456789,
                       f"{words}: {found.st_mtime_ns}, {ended}")
    workshop.check_works("gradient12.pgm", "out.pgm")
    now = (workshop.folder / "out.pgm").stat().st_mtime_ns
    workshop.check(now != 10**18 + 123456789, "the times are those of the input without --preserve")


def as_cp(workshop):
    """Tests runs with several inputs and a folder for the outputs, and --suffix. (batches.py tests lists.)"""
    workshop.take("gradient12.pgm", "flat.pgm")
    smooth = {name: workshop.check_works(name, "-") for name in ("gradient12.pgm", "flat.pgm")}
    path = workshop.folder / "sub"
    path.mkdir()
    workshop.check_tells("gradient12.pgm flat.pgm sub", "2 done")
    placed = {each.name: each.read_bytes() for each in path.iterdir()}
    workshop.check(placed == smooth, f"INPUT... FOLDER: {placed.keys()}")
    os.link(workshop.folder / "flat.pgm", path / "other.pgm")
    for words, name in ((["--suffix", "_s", "./flat.pgm"], "flat_s.pgm"),
                        (["--suffix", "_s", "flat.pgm", "sub"], "sub/flat_s.pgm"),
                        (["--suffix", ".x", "sub/other.pgm"], "sub/other.x.pgm"),
                        (["--suffix", "_t", "--format", "pnm", "flat.pgm"], "flat_t.pnm")):
        workshop.check_works(*words)
        placed = workshop.folder / name
        workshop.check(placed.read_bytes() == smooth["flat.pgm"], f"{words}: not {name}")
        placed.unlink()
    ended = workshop.run("--suffix", "_u", "gradient12.pgm", "flat.pgm")
    placed = {name: (workshop.folder / name.replace(".", "_u.")).read_bytes() for name in smooth}
    workshop.check(ended.status == 0 and placed == smooth, f"a suffix for two: {ended}")


if __name__ == "__main__":
    program.main(__doc__, {
        "texts": [text_help, text_examples, text_version, text_variants, text_to_full_disk],
        "streams": [streams, reports],
        "options": [abbreviations, filters, jobs],
        "placing": [placing, second_operands, in_place, as_cp],
        "kept": [preserve],
    })
