# SPDX-License-Identifier: MIT
"""Wrong command lines: each has its exit status and message, and writes nothing.

usage: wrong_command_lines.py PROGRAM IMAGES GROUP
"""
import os
import pty
import re

import program
from odd_numbers import odd_texts

WORDS = re.compile  # a message of which only the pattern is known

# Rows of a table: command line, exit status, message.
OPTIONS = [
    ("--halp flat.pgm out.pgm", 2, "--halp: unknown option; did you mean '--halo' or '--help'?"),
    ("--halp=3 flat.pgm out.pgm", 2, "--halp: unknown option; did you mean '--halo' or '--help'?"),
    ("--halx flat.pgm out.pgm", 2, "--halx: unknown option; did you mean '--halo'?"),
    ("--zzzzz flat.pgm out.pgm", 2, "--zzzzz: unknown option"),
    ("-x flat.pgm out.pgm", 2, "-x: unknown option"),
    ("-qx flat.pgm out.pgm", 2, "-x: unknown option"),
    ("--inplace 4 flat.pgm out.pgm", 2, "--inplace: unknown option; did you mean '--in-place'?"),
    ("--plain -xq flat.pgm out.pgm", 2, "-x: unknown option"),
    ("--verify -x5 flat.pgm out.pgm", 2, "-x: unknown option"),
    ("--ver flat.pgm out.pgm", 2, "--ver: ambiguous; use --verify, --verbose or --version"),
    *((f"{word} flat.pgm", 2, f"{word}: write --in-place in full, since it replaces files")
      for word in ("--in", "--in-plac", "--i")),
    ("--no flat.pgm out.pgm", 2,
     "--no: ambiguous; use --norm, --no-clobber or --no-progress"),
    ("flat.pgm out.pgm --halo", 2, "--halo needs an argument: --halo N"),
    ("flat.pgm out.pgm --op", 2, "--op needs an argument: --op OPERATION"),
    ("flat.pgm out.pgm -qj", 2, "--jobs needs an argument: --jobs N"),
    ("--plain=3 flat.pgm out.pgm", 2, "--plain=3: this option takes no argument"),
    ("--verif=yes flat.pgm out.pgm", 2, "--verif=yes: this option takes no argument"),
    ("--version=3", 2, "--version=3: this option takes no argument"),
    ("-in.pgm out.pgm", 2, "-i: unknown option"),
    ("-ver flat.pgm out.pgm", 2,
     "-ver: ambiguous; use --verify, --verbose or --version"),
    ("-hlao 4 flat.pgm out.pgm", 2, "-l: unknown option; did you mean '--halo'?"),
    ("-hx", 2, "-x: unknown option"),
    ("--op reverse " * 33 + "flat.pgm out.pgm", 2, "--op: at most 32 operations can be chained"),
]

# One dash before a long option's name, or before at least three letters of one: -halo is not -h.
OPTIONS += [(line, 2, f"{word}: long options have two dashes; did you mean '--{name}'?")
            for line, word, name in (
                ("-halo 4 flat.pgm out.pgm", "-halo", "halo"),
                ("-halo=4 flat.pgm out.pgm", "-halo=4", "halo"),
                ("-hal 4 flat.pgm out.pgm", "-hal", "halo"),
                ("flat.pgm out.pgm -sigma 2", "-sigma", "sigma"),
                ("-j4 flat.pgm --plain -op reverse out.pgm", "-op", "op"),
                ("-help", "-help", "help"), ("-version", "-version", "version"))]


def not_whole(option, least, most):
    """Rows for values that are no whole number from least to most. most None: the largest integer,
    which the message does not name."""
    bounds = f" from {least} to {most}" if most else f", {least} or more"
    beyond = most + 1 if most else 2**63
    wrong = ["4x", "''", "1.5", "nan", "1e400", "0x4", "-1", "-0", "+-1", "' 1'", str(least - 1), str(beyond),
             "9" * 30]
    return [(f"--{option} {value} flat.pgm out.pgm", 2,
             f"--{option} {value.strip(chr(39))}: must be a whole number{bounds}")
            for value in wrong]


NUMBERS = not_whole("halo", 0, 1024) + not_whole("png-level", 0, 9) + not_whole("quality", 1, 100)
NUMBERS += not_whole("max-pixels", 1, None)
NUMBERS += [(f"--op difference {line}", *rest) for line, *rest in not_whole("offset", 0, 65535)]
NUMBERS += [(f"--{option} {size} flat.pgm out.pgm", 2,
             f"--{option} {size}: must be a size such as 512M or 1.5G (K = 1024 bytes, M = 1024 K, "
             f"then G, T; KB = 1000 bytes); at least {least}")
            for option, least, small in (("max-memory", "1M", "0.99M"), ("max-metadata", "1K", "1023"))
            for size in (small, "1,5G", "1.G", "1.5P", "1.5.5G")]
NUMBERS += [(f"--{option} {size} flat.pgm out.pgm", 2,
             f"--{option} {size}: without a unit this is a number of bytes, which has no fraction; "
             "add a unit, as in 1.5M or 1.5G")
            for option in ("max-memory", "max-metadata") for size in ("1.5", "2000000.0")]
NUMBERS += not_whole("max-side", 1, 2147483647) + not_whole("max-channels", 1, 2147483647)
NUMBERS += [(f"--sigma {value} flat.pgm out.pgm", 2,
             f"--sigma {value.strip(chr(39))}: not a number above 0; write it like 2.5")
            for value in ("4x", "4y", "''", "' 2'", "0x2", "0x10", "nan", "inf", "1e400", "1e-400", "-0", "-1.5")]
NUMBERS += [(f"--sigma {value} flat.pgm out.pgm", 2,
             f"--sigma {value}: must be above 0; --halo 0 leaves the image as it is") for value in ("0", "0.00")]
NUMBERS += [
    (f"{option} {value} flat.pgm out.pgm", 2, f"{option} {value}: write one number, two: x,y, or three: x,y,z")
    for option in ("--halo", "--sigma") for value in ("1,2,3,4", "9" * 64 + ",1")
] + [
    ("--halo 1,,2 flat.pgm out.pgm", 2, "--halo : must be a whole number from 0 to 1024"),
    ("--sigma 1,,2 flat.pgm out.pgm", 2, "--sigma : not a number above 0; write it like 2.5"),
    ("--halo 6,x flat.pgm out.pgm", 2, "--halo x: must be a whole number from 0 to 1024"),
    ("--halo ,6 flat.pgm out.pgm", 2, "--halo : must be a whole number from 0 to 1024"),
    ("--halo 6,-0 flat.pgm out.pgm", 2, "--halo -0: must be a whole number from 0 to 1024"),
    ("--halo 6,1025 flat.pgm out.pgm", 2, "--halo 1025: must be a whole number from 0 to 1024"),
    ("--sigma 1,-2 flat.pgm out.pgm", 2, "--sigma -2: not a number above 0; write it like 2.5"),
    ("--sigma 1, flat.pgm out.pgm", 2, "--sigma : not a number above 0; write it like 2.5"),
    ("--sigma 1e-400,1 flat.pgm out.pgm", 2,
     "--sigma 1e-400: not a number above 0; write it like 2.5"),
    ("--sigma 0,0 flat.pgm out.pgm", 2, "--sigma 0,0: one of them must be above 0; --halo 0 leaves the "
     "image as it is"),
    ("--sigma 2,342 flat.pgm out.pgm", 2,
     "--sigma 342 needs a halo of 1368, and the largest is 1024; name a smaller "
     "--halo or --truncate to cut the filter off earlier"),
] + [
    (f"-j {value} flat.pgm out.pgm", 2, f"--jobs {value.strip(chr(39))}: must be a whole number "
     "from 1 to 1024, or all (or 0) for all processors")
    for value in ("4x", "''", "1.5", "-1", "-0", "+-1", "' 1'", "1025", "9" * 30, "ALL")
] + [
    (f"--op sharpen --amount {value} flat.pgm out.pgm", 2, f"--amount {value.strip(chr(39))}: must be a "
     "number from 0 to 16, with up to three decimals")
    for value in ("16.001", "-1", "0.0005", "1.0001", "1e-4", "x", "''", "nan", "1,5", "1e30", "17")
] + [
    ("--sigma 256.2 flat.pgm out.pgm", 2,
     "--sigma 256.2 needs a halo of 1025, and the largest is 1024; name a smaller "
     "--halo or --truncate to cut the filter off earlier"),
    *((f"--sigma {sigma} --truncate {truncate} flat.pgm out.pgm", 2,
       WORDS(f"--sigma {re.escape(sigma.split(',')[-1])} needs a halo of ([0-9]{{4,}}|1e[+]30|inf), .* --truncate .*"))
      for sigma, truncate in (("256.125", "4"), ("3,512.25", "2"), ("1", "1e30"), ("1e+300", "1e300"))),
    ("--sigma 2 --truncate 3,4 flat.pgm out.pgm", 2,
     "--truncate 3,4: not a number above 0; write it like 2.5"),
    *((f"--sigma 2 --truncate {value} flat.pgm out.pgm", 2,
       f"--truncate {value}: not a number above 0; write it like 2.5")
      for value in ("0", "-3", "x", "nan", "1e-400", "0x3")),
    ("--sigma 1e300 flat.pgm out.pgm", 2,
     WORDS("--sigma 1e[+]300 needs a halo of 4e[+]300, .*")),
] + [
    (f"--norm analytic {numbers} flat.pgm out.pgm", 2,
     f"the analytic norm with sigma {sigma} would make flat areas more than 4 times as bright in "
     "each direction, beyond what its sums can hold; use --norm sum, or a larger --sigma")
    for numbers, sigma in (("--halo 1 --sigma 0.09", "0.09"), ("--sigma 0.05 --halo 3", "0.05"),
                           ("--halo 1 --sigma 1e-310", "1e-310"))
]

OPERATIONS = "use smooth, transpose, reverse, sharpen, difference, gradient or laplace"
EDGES = "use reflect, clamp, mirror, wrap or zero"
FORMATS = "use pgm, png, pbm, ppm, pam, pnm, jpg, jpeg, tiff, tif or npy"
# Without CUDA in the build, or without a GPU on the machine.
NO_GPU = "(this smoothimg was built without CUDA|there is no usable GPU: ).*"
CHOICES = [
    ("--op smoth flat.pgm out.pgm", 2,
     f"--op smoth: unknown operation; {OPERATIONS}; did you mean 'smooth'?"),
    ("--op '' flat.pgm out.pgm", 2, f"--op : unknown operation; {OPERATIONS}"),
    ("--op smooth,reverse flat.pgm out.pgm", 2,
     f"--op smooth,reverse: unknown operation; {OPERATIONS}; for several say --op for each"),
    ("--format gif flat.pgm out.pgm", 2, f"--format gif: unknown format; {FORMATS}; did you mean 'tif'?"),
    ("--op smooth --op x flat.pgm out.pgm", 2, f"--op x: unknown operation; {OPERATIONS}"),
    ("--edge clam flat.pgm out.pgm", 2,
     f"--edge clam: unknown edge; {EDGES}; did you mean 'clamp'?"),
    ("--edge nothing flat.pgm out.pgm", 2, f"--edge nothing: unknown edge; {EDGES}"),
    ("--norm none flat.pgm out.pgm", 2,
     "--norm none: unknown norm; use sum or analytic"),
    ("--nan x flat.pgm out.pgm", 2, "--nan x: unknown rule; use propagate or skip"),
    ("--alpha x flat.pgm out.pgm", 2, "--alpha x: unknown rule; use weighted or separate"),
    ("--tiff-compression x flat.pgm out.tif", 2,
     "--tiff-compression x: unknown method; use input, none or deflate"),
    ("--format jp flat.pgm out.pgm", 2, f"--format jp: unknown format; {FORMATS}; did you mean 'jpg'?"),
    ("--variant cpuu flat.pgm out.pgm", 2,
     WORDS(r"--variant cpuu: unknown variant of smooth; use auto, cpu, gpu.* or .*; "
           r"did you mean 'cpu'\?")),
    ("--variant '' flat.pgm out.pgm", 2,
     WORDS("--variant : unknown variant of smooth; use auto, cpu, .*")),
    ("--variant cpu:u9 flat.pgm out.pgm", 2,
     WORDS(r"--variant cpu:u9: unknown variant of smooth; use cpu:cosines, cpu:u8 or cpu:lines; "
           r"did you mean 'cpu:u8'\?")),
    ("--variant cpu:u8 --halo 97 flat.pgm out.pgm", 4,
     "smooth cpu:u8 cannot do this: its integers are for 8 bits and halos to 96"),
    ("--op reverse --variant nothing flat.pgm out.pgm", 2,
     WORDS("--variant nothing: unknown variant of reverse; use auto, cpu, .*")),
]

USAGE = "usage: smoothimg [options] INPUT OUTPUT"
SAME = "are the same file; name another output, or say --in-place"
ONE_FILE = "are one file, which would be replaced twice; nothing was done: name it once, or make a copy"
ONE_OUTPUT = "this is one output, for one input; for several: smoothimg [options] -O DIR INPUT..."
SUFFIX_ALONE = ("--suffix alone names the output of a file only; name a folder for the output with "
                "-O")
NO_INPUT = "no input was named; usage: smoothimg [options] INPUT..."
NO_NAME = "standard input has no name to use here; name files, or their list with --files-from -"
NO_FOLDER = "no such folder; make it with mkdir -p"
NEED_FOLDER = "not a folder; several inputs need one: smoothimg [options] INPUT... FOLDER"
ENDINGS = "supported: .pgm .ppm .pbm .pam .pnm .png .jpg .jpeg .tif .tiff .npy; or use --format"
OPERANDS = [
    ("", 2, f"no input and no output were named; {USAGE}"),
    ("--in-place", 2, f"--in-place: {NO_INPUT}"),
    ("--in-place -", 2, f"-: {NO_NAME}"),
    ("--in-place . -", 2, f"-: {NO_NAME}"),
    ("--in-place /dev/null", 2, "/dev/null: not a regular file; --in-place cannot replace it"),
    ("--in-place flat.pgm flat.pgm", 2, f"flat.pgm and flat.pgm {ONE_FILE}"),
    ("--in-place flat.pgm hard.pgm", 2, f"flat.pgm and hard.pgm {ONE_FILE}"),
    ("--in-place soft.pgm flat.pgm", 2, f"soft.pgm and flat.pgm {ONE_FILE}"),
    ("--in-place rgb.ppm ./rgb.ppm", 2, f"rgb.ppm and ./rgb.ppm {ONE_FILE}"),
    ("--in-place .", 2, f"./flat.pgm and ./hard.pgm {ONE_FILE}"),
    ("-o out.pgm", 2, f"out.pgm: {NO_INPUT}"),
    ("-o out.pgm flat.pgm two.pgm", 2, f"out.pgm: {ONE_OUTPUT}"),
    ("-o out.pgm --files-from list", 2, f"out.pgm: {ONE_OUTPUT}"),
    ("-o out.pgm -O out flat.pgm", 2, "-o: names a file, and -O a folder; leave one of them out"),
    ("-o flat.pgm flat.pgm", 2, f"flat.pgm and flat.pgm {SAME}"),
    ("-o out.pgm .", 2,
     ".: this is a folder, and -o names a file; name a folder for its images with -O"),
    ("-o . flat.pgm", 2,
     ".: this is a folder, and -o names a file; for outputs in a folder say -O"),
    ("-o '' flat.pgm", 2, WORDS(".*empty.*")),
    ("-o - --json flat.pgm", 2, WORDS("--json: its lines go to standard output, .*")),
    ("-O - flat.pgm", 2, "-: outputs go into a folder; name one, or for one image say -o -"),
    ("--outp out.pgm flat.pgm", 2, "--outp: ambiguous; use --output or --output-dir"),
    ("flat.pgm", 2, f"flat.pgm: no output was named; {USAGE} (- is standard output)"),
    *((words, 2, f"{words.split()[-1]}: no such file; {USAGE}") for words in ("-- --help", "help", "--suffix _s blur", "--dry-run in.pgn")),
    ("flat.pgm rgb.ppm two.pgm/more", 5, f"two.pgm/more: {NO_FOLDER}"),
    ("flat.pgm rgb.ppm more", 5, f"more: {NO_FOLDER}"),
    ("flat.pgm rgb.ppm two.pgm", 2, "two.pgm: not a folder; several inputs need one: "
     "smoothimg [options] INPUT... FOLDER"),
    ("flat.pgm rgb.ppm -", 2,
     "-: outputs of several inputs go into a folder; name it last, or with -O"),
    ("flat.pgm - .", 2, f"-: {NO_NAME}"),
    ("--files-from list flat.pgm", 2, "flat.pgm: not a folder; several inputs need one: smoothimg "
     "[options] INPUT... FOLDER"),
    ("--suffix _s flat.pgm rgb.ppm out.pgm", 2, f"out.pgm: {NEED_FOLDER}"),
    ("flat.pgm rgb.ppm out.pgm", 2, f"out.pgm: {NEED_FOLDER}"),
    ("flat.pgm absent.pgm out.pgm", 2, f"out.pgm: {NEED_FOLDER}"),
    ("flat.pgm absent/", 5, f"absent: {NO_FOLDER}"),
    ("flat.pgm absent/out.pgm", 5, f"absent: {NO_FOLDER}"),
    ("-O absent/more/out flat.pgm", 5, f"absent/more: {NO_FOLDER}"),
    ("-O absent/more// flat.pgm", 5, f"absent: {NO_FOLDER}"),
    *((f"--suffix {line}", 2, "--suffix: is inserted into names, such as _s; it has no slash")
      for line in ("/s flat.pgm", "a/b -O out flat.pgm")),
    ("--suffix '' flat.pgm rgb.ppm", 2, WORDS("(.*), to be made from \\1, is an input; nothing was done: .*")),
    ("--suffix _s .", 2, f".: {SUFFIX_ALONE}"),
    ("--suffix _s -", 2, f"-: {SUFFIX_ALONE}"),
    ("--suffix '' flat.pgm", 2, f"flat.pgm and flat.pgm {SAME}"),
    *((f"--suffix _s {line}", 2, "--suffix: has no effect on an output that is named; leave one of them out")
      for line in ("flat.pgm out.pgm", "flat.pgm -", "-o out.pgm flat.pgm")),
    ("flat.pgm flat.pgm", 2, f"flat.pgm and flat.pgm {SAME}"),
    ("flat.pgm ./flat.pgm", 2, f"flat.pgm and ./flat.pgm {SAME}"),
    ("flat.pgm soft.pgm", 2, f"flat.pgm and soft.pgm {SAME}"),
    ("soft.pgm flat.pgm", 2, f"soft.pgm and flat.pgm {SAME}"),
    ("flat.pgm hard.pgm", 2, f"flat.pgm and hard.pgm {SAME}"),
    ("flat.pgm .", 2, f"flat.pgm and ./flat.pgm {SAME}"),
    ("- .", 2, ".: this is a folder, and standard input has no name to use in it; name a file"),
    ("absent.pgm out.pgm", 3, "absent.pgm: cannot be opened: No such file or directory"),
    ("flat.pgm/x.pgm out.pgm", 3, "flat.pgm/x.pgm: cannot be opened: Not a directory"),
    ("--max-pixels 3071 flat.pgm out.pgm", 3,
     "flat.pgm: the header declares 64 x 48 = 3072 pixels, above the limit of 3071; raise it with "
     "--max-pixels if you trust the file"),
    ("- out.pgm", 3, "standard input: the file is empty"),
    ("flat.pgm out.jp2", 2, f"out.jp2: cannot write .jp2; {ENDINGS}"),
    ("flat.pgm out.pgm.webp", 2,
     f"out.pgm.webp: cannot write .webp; {ENDINGS}"),
    ("flat.pgm ''", 2, WORDS(".*(empty|no name).*")),
    ("'' out.pgm", 2, WORDS(".*(empty|no name).*")),
    (". -", 2, WORDS("[.]: this is a folder, .*standard output.*")),
    ("--no-clobber flat.pgm rgb.ppm", 5, "rgb.ppm: exists already, and --no-clobber keeps it"),
    ("-n two.pgm soft.pgm", 5, "soft.pgm: exists already, and --no-clobber keeps it"),
]

# --in-place decides where outputs go, so that options for outputs are refused.
OPERANDS += [(f"--in-place {option} {operand}", 2, f"{option.split()[0]}: has no effect, since --in-place "
              "replaces each input by its result, with the same name and format; leave it out")
             for option in ("--format pgm", "--suffix x", "--skip-existing", "--no-clobber",
                            "--output-dir out", "--output out.pgm")
             for operand in ("rgb.ppm", "flat.pgm rgb.ppm", ".", "--files-from list")]
# A folder for outputs must not be named like an image.
LIKE_IMAGE = "named like an image, and outputs go into a folder; name a folder, or for one image say -o"
OPERANDS += [(line.format(name), 2, f"{name}: {LIKE_IMAGE}")
             for line in ("-O {0} rgb.ppm", "--output-dir {0} rgb.ppm two.pgm", ". {0}", "-O {0} .", "--dry-run . {0}")
             for name in ("out.png", "out.PNG", "out.Pbm", "absent/out.png", "two.pgm")]

PLAIN = "--plain works for PBM, PGM and PPM only; leave it out, or name the output .pgm or .ppm"
MISFITS = [
    ("flat.pgm --format tiff -", 4, "standard output: TIFF is written to a file only, since its "
     "parts are not in their order; name a file, or give another --format"),
    ("--plain flat.pgm out.tif", 4, f"out.tif: {PLAIN}"),
    ("--plain flat.pgm out.npy", 4, f"out.npy: {PLAIN}"),
    ("--plain flat.pgm out.png", 4, f"out.png: {PLAIN}"),
    ("--plain flat.pgm out.pam", 4, f"out.pam: {PLAIN}"),
    ("--plain --format png flat.pgm -", 4, f"standard output: {PLAIN}"),
    ("rgb.ppm out.pgm", 4, "out.pgm: PGM holds 1 channel, but the image has 3 channels and a "
     "maxval of 255; name the output .ppm"),
    ("rgb.ppm --format pgm out.ppm", 4, "out.ppm: PGM holds 1 channel, but the image has 3 "
     "channels and a maxval of 255; name the output .ppm"),
    ("alpha.pam out.ppm", 4, "out.ppm: PPM holds 3 channels, but the image has 2 channels and a "
     "maxval of 255; name the output .pam"),
    ("flat.pgm out.pbm", 4, "out.pbm: PBM holds 1 channel with a maxval of 1, but the image has "
     "1 channel and a maxval of 255; name the output .pgm"),
    ("two.pgm out.png", 4, "out.png: PNG holds one image, but the input has several; name "
     "the output .tif, .pgm, .ppm or .pam"),
]


def refuse(workshop, lines):
    workshop.take("flat.pgm", "rgb.ppm", "two.pgm", "alpha.pam")
    (workshop.folder / "soft.pgm").symlink_to("flat.pgm")
    os.link(workshop.folder / "flat.pgm", workshop.folder / "hard.pgm")
    before = workshop.content()
    for line, status, message in lines:
        with open(os.devnull, "rb") as nothing:  # without operands, pipes would be "- -"
            workshop.check_ends(line, status, message, **({} if line else {"stdin": nothing}))
        if not workshop.check(workshop.content() == before, f"{line}: files came, went or changed"):
            return


def no_gpu(workshop):
    """GPU variants without a GPU exit with 6, and say what to do. A real GPU is hidden; an emulated
    one cannot be: then nothing is checked."""
    workshop.take("flat.pgm")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    if workshop.run("--list-devices").status == 0:
        return
    before = workshop.content()
    for words in ("--variant gpu", "--variant shared", "--op transpose --variant naive"):
        wanted = f"(--variant \\w+: )?{NO_GPU}; use --variant cpu to do without"
        workshop.check_ends(f"{words} flat.pgm out.pgm", 6, re.compile(wanted))
        workshop.check(workshop.content() == before, f"{words}: files came, went or changed")
    listed = workshop.check_ends("--list-devices", 6, re.compile(NO_GPU))
    workshop.check("--variant" not in listed.err, f"advice for a run: {listed.err}")


def terminal(workshop):
    """An image is not written to a terminal."""
    workshop.take("flat.pgm")
    outer, inner = pty.openpty()
    workshop.check_ends("flat.pgm -", 2, "not writing an image to a terminal; redirect it or "
                        "name a file", stdout=inner)
    os.set_blocking(outer, False)
    try:
        workshop.check(not os.read(outer, 1), "bytes came to the terminal")
    except BlockingIOError:
        pass  # nothing came
    for line, quiet in (("- out.pgm", False), ("- -", False), ("-q - out.pgm", True)):
        os.write(outer, b"x\n\x04\x04")  # Ctrl-D ends the input
        ended = workshop.run(*line.split(), stdin=inner)
        workshop.check(ended.status == 3, f"{line}, from a terminal: {ended}")
        workshop.check(ended.err.startswith("smoothimg: reading an image from the terminal; Ctrl-C "
                                            "ends this") == (not quiet), f"{line}: {ended.err!r}")
    os.close(outer)
    os.close(inner)


# Each option whose argument is a number: a good one, and a line with * for it. None: there is no line
# that any machine takes.
ODD = {
    "amount": (2, "--op sharpen --amount * flat.pgm out.pgm"),
    "offset": (3, "--op difference --offset * flat.pgm out.pgm"),
    "halo": (2, "--halo * flat.pgm out.pgm"),
    "sigma": (2, "--sigma * flat.pgm out.pgm"),
    "truncate": (3, "--sigma 2 --truncate * flat.pgm out.pgm"),
    "png-level": (3, "--png-level * flat.pgm out.png"),
    "quality": (90, "--quality * flat.pgm out.jpg"),
    "jobs": (2, "--jobs * flat.pgm out.pgm"),
    "max-memory": (1 << 26, "--max-memory * flat.pgm out.pgm"),
    "max-pixels": (5000, "--max-pixels * flat.pgm out.pgm"),
    "max-side": (500, "--max-side * flat.pgm out.pgm"),
    "max-channels": (5, "--max-channels * flat.pgm out.pgm"),
    "max-metadata": (1 << 16, "--max-metadata * flat.pgm out.pgm"),
    "shard": (1, None),
    "device": (0, None),
    "block": (8, None),
}
OF_PAIRS = ("*,1", "1,*")
OF_SHARDS = ("*/4", "1/*", "auto/*")
INTEGERS = {"offset", "halo", "png-level", "quality", "jobs", "max-pixels", "max-side", "max-channels", "device", "block"}
DECIMALS = {"amount", "sigma", "truncate"}
SIZES = {"max-memory", "max-metadata"}


def is_good(option, text):
    """Does the option take this odd text for its number? An integer may have a sign, a decimal also a
    point, and the largest limits fit 63 bits."""
    good = ODD[option][0]
    large = option in SIZES | {"max-pixels"} and text.isascii() and text.isdigit() and good <= int(text) < 2 ** 63
    return (large or (option in INTEGERS | DECIMALS and text == f"+{good}")
            or (option in DECIMALS and text == f"{good}."))


def odd_numbers(workshop):
    """Each text is refused for what it is, or does what the number does. So that no option is forgotten,
    --help is asked for those that take numbers."""
    told = workshop.check_works("--help").decode()
    taking = set(re.findall(r"--([a-z-]+) (?:N|S|T|A|SIZE|PART)(?: |$)", told, re.M))
    workshop.check(taking == set(ODD), f"options that take numbers: {sorted(taking)}")
    workshop.take("flat.pgm")
    for option, (good, line) in ODD.items():
        forms = OF_SHARDS if option == "shard" else ("*", *(OF_PAIRS if option in ("halo", "sigma") else ()))
        for text in odd_texts(good):
            if is_good(option, text):
                if line:
                    same(workshop, line.split(), str(good), text)
                continue
            for form in forms:
                odd_argument(workshop, option, form.replace("*", text))


def odd_argument(workshop, option, argument):
    """A long option, with the other options that make it one that has an effect."""
    before = {"amount": ["--op", "sharpen"], "offset": ["--op", "difference"], "truncate": ["--sigma", "2"]}
    words = [*before.get(option, ()), f"--{option}={argument}", "flat.pgm", "out.png"]
    workshop.check_ends(words, 2, WORDS(f"--({option}|sigma)[ :].*"))
    workshop.check(set(workshop.content()) == {b"flat.pgm"}, f"{words}: files came")


def same(workshop, words, *numbers):
    """The number in each way of writing: the same bytes."""
    results = []
    for number in numbers:
        out = workshop.folder / words[-1]
        workshop.check_works("-q", *(word.replace("*", number) for word in words))
        results.append(out.read_bytes() if out.exists() else None)
        out.unlink(missing_ok=True)
    workshop.check(results[0] and results.count(results[0]) == len(results), f"{words} {numbers}: they differ")


def refusing(table):
    """A check of every row of the table."""
    return lambda workshop: refuse(workshop, table)


if __name__ == "__main__":
    program.main(__doc__, {
        "options": [refusing(OPTIONS)],
        "numbers": [refusing(NUMBERS), odd_numbers],
        "choices": [refusing(CHOICES), no_gpu],
        "operands": [refusing(OPERANDS), terminal],
        "misfits": [refusing(MISFITS)],
    })
