# SPDX-License-Identifier: MIT
"""Types command lines into bash, zsh and fish on a pseudo-terminal, and checks how Tab completes them.

usage: typed_completions.py PROGRAM SHELL FOLDER

PROGRAM is smoothimg; smoothimg-bench must be in the same folder. FOLDER has the completion scripts of both. If FOLDER
is `installed`, the shell must find the scripts by itself. Each option with an argument must be in WORDS, FILES, FOLDERS
or FREE, which say what its value is. Exit status 77: SHELL (bash, zsh or fish), or the package bash-completion, is not
installed."""
import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"
PATIENCE = 60
# Words that options accept. The test types the beginning of each word after "--option " and after "--option=".
WORDS = {
    "smoothimg": {
        "--op": "smooth transpose reverse sharpen difference gradient laplace", "--edge": "clamp reflect mirror wrap zero",
        "--norm": "sum analytic", "--alpha": "weighted separate",
        "--format": "pgm png pbm ppm pam pnm jpg jpeg tiff tif npy", "--tiff-compression": "input none deflate",
        "--nan": "propagate skip", "--jobs": "all", "-j": "all",
        "--variant": "auto cpu gpu reference", "--device": "emulated"},
    "smoothimg-bench": {
        "--suite": "variants memory", "--op": "smooth transpose reverse", "--place": "any cpu gpu",
        "--image": "noise chequer photo", "--depth": "8 16 float", "--alpha": "weighted separate",
        "--jobs": "all", "-j": "all", "--variant": "reference cpu", "--against": "reference cpu",
        "--experiment": "transpose-float gemm gemv"},
}
FILES = {"smoothimg": ["-o", "--output", "--files-from", "--mask"],
         "smoothimg-bench": ["--image", "--save-image"]}
FOLDERS = {"smoothimg": ["-O", "--output-dir"], "smoothimg-bench": []}
FREE = {"smoothimg": "--shard --amount --offset --halo --sigma --truncate --suffix --quality --png-level --max-memory --max-pixels --max-side "
                     "--max-channels --max-metadata --block",
        "smoothimg-bench": "--size --channels --halo --block --device --repeat "
                           "--min-time --max-time"}
# (typed line, the line's last word after Tab is pressed)
LINES = [
    ("smoothimg --ed", "--edge"), ("smoothimg --pres", "--preserve"),
    ("smoothimg --suf", "--suffix"), ("smoothimg --outp", "--output"),
    ("smoothimg --preserve fl", "flat.pgm"), ("smoothimg --preserve --edge mi", "mirror"),
    ("smoothimg --edge=mi", "--edge=mirror"),
    ("smoothimg --op transpose --op rev", "reverse"), ("smoothimg --halo 4 --format pn", "pn"),
    ("smoothimg a", "a b.pgm"), ("smoothimg --halo 4 a\\ b.pgm fo", "folder"),
    ("smoothimg -o a", "a b.pgm"), ("smoothimg 'a b.pgm' ch", "chart.png"),
    ("smoothimg-bench --sect", "--sectors"), ("smoothimg-bench --sectors --experiment gemv --si", "--size"),
    ("smoothimg-bench ch", "chart.png"),
]

START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--private", "--interactive"],
}
# PLACE: commands that tell a shell where the completions are, unless they are installed. SETUP: commands that a user
# has in start-up files.
PLACE = {
    "bash": "BASH_COMPLETION_USER_DIR={above}; ",
    "zsh": "fpath=({scripts} $fpath); ",
    "fish": "set -g fish_complete_path {scripts} $fish_complete_path; ",
}
SETUP = {
    "bash": f". {BASH_COMPLETION}; set +o history; ",
    "zsh": "autoload -Uz compinit; compinit -u -D; bindkey -e; zstyle ':completion:*' insert-tab false; ",
    "fish": "",
}
# A command that writes its arguments to a file. So the test sees how the shell splits a line into words.
ANSWER = """#!/bin/sh
printf '%s\\0' "$@" >'{answer}.part'
mv '{answer}.part' '{answer}'
"""


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def variants(program):
    """Returns the variants of this build, from --list-variants."""
    rows = output_of(program, "--list-variants").splitlines()[1:]
    return {row.split()[1] for row in rows if "not in this build" not in row}


class Typist:
    """A shell on a pseudo-terminal, in a folder with some files."""

    def __init__(self, name, scripts, folder):
        self.name, self.answer = name, folder.parent / "answer"
        tools = folder.parent / "tools"
        tools.mkdir()
        (tools / "answer").write_text(ANSWER.format(answer=self.answer))
        (tools / "answer").chmod(0o755)
        # If this folder is missing, fish starts a process that fills it from all manuals and outlives the shell.
        (folder.parent / ".local/share/fish/generated_completions").mkdir(parents=True)
        self.ours, theirs = pty.openpty()
        env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder.parent),
               "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "200"}
        self.shell = subprocess.Popen(START[name], stdin=theirs, stdout=theirs, stderr=theirs,
                                      cwd=folder, env=env, start_new_session=True,
                                      preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(theirs)
        self.shown = b""
        place = "" if scripts is None else PLACE[name].format(
            scripts=shlex.quote(str(scripts)), above=shlex.quote(str(scripts.parent)))
        self.words_after(place + SETUP[name] + "answer ready", "")

    def wait(self):
        """Waits until the command ANSWER has written its arguments, and returns them. Meanwhile reads what the shell
        prints, so that the shell does not block."""
        limit = time.monotonic() + PATIENCE
        while not self.answer.exists():
            if select.select([self.ours], [], [], 0.01)[0]:
                self.shown += os.read(self.ours, 65536)
            if time.monotonic() > limit or self.shell.poll() is not None:
                raise TimeoutError(f"no answer: {self.shown[-500:]!r}")
        words = self.answer.read_text().split("\0")[:-1]
        self.answer.unlink()
        return words

    def words_after(self, line, key="\t"):
        """Types a line and a key. Returns the words of the completed line: puts the command `answer` before them, which
        writes them to a file. Ctrl-U empties the line, Ctrl-A moves to its beginning."""
        before = "\x01answer " if key else ""
        os.write(self.ours, f"\x15{line}{key}{before}\r".encode())
        return self.wait()

    def close(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.ours)


def short(word, others):
    """Returns the shortest prefix of the word that no other word has, or the whole word."""
    return next((word[:n] for n in range(1, len(word))
                 if not any(other.startswith(word[:n]) for other in others if other != word)), word)


def lines_of(program, text, names):
    """Yields (line, expected last word) for each option of --help, and for values of options that have an argument.
    names: the variants of this build."""
    options = re.findall(r"^  (?:-\w, |    )(--[\w-]+)", text, re.M)
    for option in options:
        yield f"{program} --{short(option[2:], {one[2:] for one in options})}", option
    words = {option: set(listed.split()) for option, listed in WORDS[program].items()}
    beside = {"--image": {"chart.png"}, "--variant": names, "--against": names}
    if program == "smoothimg":
        words["--variant"] |= names
    for option, known in words.items():
        for word in sorted(known):
            part = short(word, known | beside.get(option, set()))
            yield f"{program} {option} {part}", word
            if option.startswith("--"):
                yield f"{program} {option}={part}", f"{option}={word}"
    for option in FILES[program]:
        yield f"{program} {option} fl", "flat.pgm"
        if option.startswith("--"):
            yield f"{program} {option}=fl", f"{option}=flat.pgm"
    for option in FOLDERS[program]:
        yield f"{program} {option} fo", "folder"
        yield f"{program} {option} fl", "fl"
    for option in FREE[program].split():
        yield f"{program} {option} fl", "fl"
    known = {*words, *FILES[program], *FOLDERS[program], *FREE[program].split()}
    have = {form for letter, name in re.findall(r"^  (?:(-\w), |    )(--[\w-]+) [A-Z]+\b", text, re.M)
            for form in (letter, name) if form}
    if known != have:
        raise ValueError(f"{program}: no test types a value of {sorted(have - known)}, or there is no "
                         f"such option: {sorted(known - have)}")


def check(typist, lines):
    """Types each line. Returns how many were completed wrongly."""
    wrong = 0
    for line, wanted in lines:
        words = typist.words_after(line)
        last = words[-1].rstrip("/=") if words else ""
        if last != wanted:
            print(f"wrong: {line!r} became {shlex.join(words)!r}, not ... {wanted!r}")
            wrong += 1
    return wrong


def main():
    if len(sys.argv) != 4 or sys.argv[2] not in START:
        sys.exit(__doc__)
    program, name = Path(sys.argv[1]).resolve(), sys.argv[2]
    scripts = None if sys.argv[3] == "installed" else Path(sys.argv[3]).resolve()
    os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    if not shutil.which(name) or name == "bash" and not Path(BASH_COMPLETION).exists():
        print(f"{name} or its package of completions is not installed: nothing was checked")
        sys.exit(77)
    bench = program.with_name("smoothimg-bench")
    lines = [*lines_of("smoothimg", output_of(program, "--help"), variants(program)),
             *lines_of("smoothimg-bench", output_of(bench, "--help"), variants(program)), *LINES]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "here")
        (folder / "folder").mkdir(parents=True)
        for image in ("flat.pgm", "two.pgm", "chart.png", "a b.pgm"):
            (folder / image).write_bytes(b"")
        typist = Typist(name, scripts, folder)
        try:
            wrong = check(typist, lines)
        finally:
            typist.close()
    print(f"{len(lines)} lines, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
