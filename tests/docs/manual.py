# SPDX-License-Identifier: MIT
"""Compares the manual and the README with the program.

usage: manual.py agrees PROGRAM MANUAL ROOT      compares options, defaults, variants, engines, exit statuses
       manual.py options PROGRAM MANUAL          compares options, defaults and exit statuses only
       manual.py examples PROGRAM TEXT ROOT      runs the examples of a manual or of a README
       manual.py lessons PROGRAM TEXT ROOT       runs the examples of the section LESSONS, which need a GPU
       manual.py clean MANUAL                    prints mandoc's complaints; 77 without mandoc

Examples in a manual are the displays with lines that begin with `$ `; in a README, the ```sh blocks
that name build/smoothimg. Each display or block runs in a new folder with images/ (a copy), tests/
(a link), and a setup.sh and a ninja that do nothing; the programs are in build/ and on PATH. Each
command must exit with 0, or with N if its comment is `# exits N`. The lines that follow a command
in a manual are its expected output; line breaks may differ.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBER = r"\d[\d^]*(?:\.\d+)?"
# Matches a line of --help with the words that an option accepts, such as: clamp (default), reflect, mirror and zero.
WORDS = re.compile(r"\w+(?: \(default\))?(?:, \w+)* and \w+")
# Matches a line with the beginning of such a list, which ends with a comma and continues in the next line.
CONTINUED = re.compile(r"(\n {20,}\w+(?: \(default\))?(?:, \w+)*,)\n +")


def plain(text):
    """Replaces mdoc's escapes by their characters."""
    return text.replace(r"\-", "-").replace(r"\e", "\\")


def section(manual, title):
    """Returns the lines of a section."""
    text = "\n" + plain(Path(manual).read_text()) + "\n.Sh "
    found = re.search(rf"\n\.Sh {re.escape(title)}\n(.*?)\n\.Sh ", text, re.DOTALL)
    return found.group(1).splitlines() if found else []


def blocks_of(manual, title):
    """Returns (subsection, lines) of each literal block of a section."""
    blocks, part, block = [], "", None
    for line in section(manual, title):
        if line.startswith(".Ss "):
            part = line[4:]
        elif line.startswith(".Bd -literal"):
            block = []
        elif line == ".Ed":
            blocks.append((part, block))
            block = None
        elif block is not None:
            block.append(line)
    return blocks


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# --- agrees: compares sets of lines of the program and of the manual ------------------------------

def options_of_help(program):
    """Returns the options of --help, each word that an option accepts, and each default that is a number, in the forms
    `-n, --no-clobber`, `--edge clamp`, `--halo 4`."""
    found, name = set(), None
    for line in CONTINUED.sub(r"\1 ", output_of(program, "--help")).splitlines():
        option = re.match(r"  (-\w, |    )(--\S+)( [A-Z]+)?(?:  |$)", line)
        words = WORDS.fullmatch(line.strip())
        if option:
            name = option[2].split("[")[0]  # drops an optional argument, such as [=LIST]
            found.add(option[1].strip() + " " * bool(option[1].strip()) + name + (option[3] or ""))
        elif words and name:
            listed = words[0].replace(" (default)", "")
            found |= {f"{name} {word}" for word in re.split(", | and ", listed)}
        found |= {f"{name} {default}" for default in re.findall(rf"\(default ({NUMBER})\)", line)}
    return found


def several_defaults(program):
    """Prints the options for which --help names more than one default. Returns the number of these options."""
    wrong = [text.split()[0] for text in re.split(r"\n  (?:-\w, |    )--", output_of(program, "--help"))[1:]
             if text.split("\n\n")[0].count("default") > 1]
    for name in wrong:
        print(f"options: --help has several defaults of --{name}")
    return len(wrong)


def default_of_header(header):
    """Returns the default of --png-level, which --help does not show."""
    level = re.search(r"#define PNG_LEVEL_DEFAULT (\d+)", Path(header).read_text())
    return {f"--png-level {level[1] if level else '?'}"}


def options_of_manual(manual):
    found, name = set(), None
    for line in section(manual, "OPTIONS"):
        if line.startswith(".It Fl"):
            parts = re.findall(r"Fl (\S+)(?: Ar (\S+))?", line)
            argument = " " + parts[-1][1] if parts[-1][1] else ""
            name = "-" + parts[-1][0]
            found.add(", ".join("-" + part[0] for part in parts) + argument)
        # --help does not list all words of --variant. agrees() compares the variants.
        elif line.startswith(".") and name and name != "--variant":
            found |= {f"{name} {word}" for word in re.findall(r"\bCm (\w+)", line)}
        found |= {f"{name} {default}" for default in re.findall(rf"default is ({NUMBER})", line)}
    return found


def variants_of_program(program, kernels):
    """Returns a line for each variant: operation, name, CPU or GPU, and description. For variants that the build lacks,
    takes the description from the sources."""
    found = set()
    for row in output_of(program, "--list-variants").splitlines()[1:]:
        op, variant, place, how = row.split(None, 3)
        if how == "(not in this build)":
            [source] = kernels.glob(f"{op}/{variant}.c*")
            # The last description is the variant's; the descriptions of its engines come before it.
            how = re.findall(r'\.description = "(.*)"', source.read_text())[-1]
        found.add(f"{op} {variant} {place} {how}")
    return found


def engines_of_program(kernels):
    """Returns the names of engines in the sources, such as cpu:u8."""
    return {name for path in kernels.glob("*/*.c*")
            for name in re.findall(r'\.name = "(\w+:\w+)"', path.read_text())}


def engines_of_manual(manual):
    return {line.split()[1] for line in section(manual, "VARIANTS") if re.match(r"\.Cm \w+:\w+", line)}


def variants_of_manual(manual):
    return {" ".join(line[len(".It "):].split(" Ta ")) for line in section(manual, "VARIANTS")
            if line.startswith(".It ") and not line.startswith(".It Em")}


def statuses_of_table(source):
    return set(re.findall(r"\[STATUS_\w+\] = (\d+)", Path(source).read_text()))


def statuses_of_manual(manual):
    return {line.split()[1] for line in section(manual, "EXIT STATUS") if line.startswith(".It")}


def compare(what, program, manual):
    """Prints the lines that only the program or only the manual has. Returns the number of differences."""
    for line in sorted(program - manual):
        print(f"{what}: the manual lacks {line}")
    for line in sorted(manual - program):
        print(f"{what}: the program lacks {line}")
    print(f"{what}: {len(program & manual)} agree")
    return len(program ^ manual) + (not program)


def agrees(program, manual, root):
    source = Path(root, "src")
    in_help = options_of_help(program) | default_of_header(source / "files/codec/codec.h")
    statuses = statuses_of_table(source / "text/exit_status.c")
    return (several_defaults(program) + compare("options", in_help, options_of_manual(manual)) +
            compare("variants", variants_of_program(program, Path(root, "kernels")), variants_of_manual(manual)) +
            compare("engines", engines_of_program(Path(root, "kernels")), engines_of_manual(manual)) +
            compare("exit statuses", statuses, statuses_of_manual(manual)))


def options(program, manual):
    """Compares smoothimg-bench with its manual. Its --help also names the exit statuses."""
    statuses = set(re.findall(r"\b(\d) ", output_of(program, "--help").split("Exit status:")[1]))
    return (several_defaults(program) + compare("options", options_of_help(program), options_of_manual(manual)) +
            compare("exit statuses", statuses, statuses_of_manual(manual)))


# --- examples: each is a list of [command, expected output] -------------------------------------

def examples_of_manual(text, lessons=False):
    """Returns the examples of the section LESSONS, or those of all other sections."""
    examples = []
    parts = re.split(r"^(?=\.Sh )", text, flags=re.M)
    text = "".join(part for part in parts if part.startswith(".Sh LESSONS\n") == lessons)
    for display in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", plain(text), re.M | re.S):
        commands = []
        for line in display.splitlines():
            if line.startswith("$ "):
                commands.append([line[2:], []])
            elif commands:
                commands[-1][1].append(line)
        if commands:
            examples.append(commands)
    return examples


def examples_of_readme(text):
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    return [[[line, []] for line in block.splitlines() if line and not line.startswith("#")]
            for block in blocks if "build/smoothimg" in block]


def make_folder(folder, program, root):
    shutil.copytree(root / "images", folder / "images")
    (folder / "tests").symlink_to(root / "tests")
    for name in ("bin", "build"):
        (folder / name).mkdir()
        for sibling in ("smoothimg", "smoothimg-bench"):
            path = program.with_name(sibling)
            (folder / name / sibling).symlink_to(path if path.exists() else program)
    for builder in ("setup.sh", "bin/ninja"):
        (folder / builder).write_text("#!/bin/sh\n")
        (folder / builder).chmod(0o755)


def lacks_tracer(command, folder):
    """Returns whether the command needs smoothimg-tracer, which counts memory accesses, and that program is not
    installed. The command must then exit with 4."""
    place = (folder / "bin/smoothimg-bench").resolve().parent
    tracers = place / "smoothimg-tracer", place.parent / "libexec/smoothimg/smoothimg-tracer"
    counts = re.search("--(sectors|transactions)", command)
    return counts is not None and not any(tracer.exists() for tracer in tracers)


def lacks_emulated_device(command, folder):
    """Returns whether the command needs the emulated device and the build has none: it has CUDA, or no C++ compiler.
    The command must then exit with 6."""
    if "--device emulated" not in command:
        return False
    listed = subprocess.run([folder / "bin/smoothimg", "--list-devices"], capture_output=True, text=True)
    return not re.search("Emulated device|--device emulated", listed.stdout + listed.stderr)


def run_command(command, printed, folder):
    """Runs the command. Returns what is wrong, or None."""
    remark = re.search(r"# exits (\d+)$", command)
    wanted = int(remark[1]) if remark else 0
    if lacks_tracer(command, folder):
        wanted, printed = 4, []
    elif lacks_emulated_device(command, folder):
        wanted, printed = 6, []
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    run = subprocess.run(["sh", "-e", "-c", command], cwd=folder, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         errors="replace",
                         env={**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"})
    if run.returncode != wanted:
        return f"exit status {run.returncode}, not {wanted}: {run.stdout.strip()}"
    if printed and run.stdout.split() != " ".join(printed).split():
        return f"it prints\n{run.stdout}"
    return None


def examples(program, text, root):
    is_manual = not text.endswith(".md")
    found = (examples_of_manual if is_manual else examples_of_readme)(Path(text).read_text())
    return run_all(found, program, root)


def lessons(program, text, root):
    return run_all(examples_of_manual(Path(text).read_text(), True), program, root)


def run_all(found, program, root):
    """Runs the examples. Returns the number of wrong commands, or 1 if there are no examples."""
    count = wrong = 0
    for commands in found:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            make_folder(folder, Path(program).resolve(), Path(root).resolve())
            for command, printed in commands:
                what = run_command(command, printed, folder)
                count += 1
                wrong += what is not None
                if what:
                    print(f"{command}\n    {what}")
    print(f"{count} commands, {wrong} wrong")
    return wrong + (count == 0)


# --- clean --------------------------------------------------------------------------------------

def clean(manual):
    """Checks that mandoc has no complaint about the manual, and that no line of its text is wider than 80 columns."""
    if not shutil.which("mandoc"):
        print("mandoc is not installed: nothing was checked")
        sys.exit(77)
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "all", manual], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # mandoc does not find smoothimg's other manuals, which are not installed.
    complaints = [line for line in lint.stdout.splitlines()
                  if not re.search(r"referenced manual not found: Xr smoothimg", line)]
    shown = re.sub(".\b", "", output_of("mandoc", "-T", "ascii", "-O", "width=80", manual))
    wide = [line for line in shown.splitlines() if len(line) > 80]
    for line in complaints:
        print(line)
    for line in wide:
        print(f"wider than 80 columns: {line.strip()}")
    print(f"{len(shown.splitlines())} lines, as they are shown")
    return len(complaints) + len(wide)


def main():
    modes = {"agrees": (agrees, 3), "options": (options, 2), "examples": (examples, 3),
             "lessons": (lessons, 3), "clean": (clean, 1)}
    mode, count = modes.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if not mode or len(sys.argv) != 2 + count:
        sys.exit(__doc__)
    sys.exit(1 if mode(*sys.argv[2:]) else 0)


if __name__ == "__main__":
    main()
