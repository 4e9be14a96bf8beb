# SPDX-License-Identifier: MIT
"""Types command lines into bash, zsh and fish on a pseudo-terminal, and checks how Tab completes them.

usage: typed_completions.py PROGRAM SHELL FOLDER

PROGRAM is smoothimg; smoothimg-bench must be in the same folder. FOLDER has the completion scripts of both. If FOLDER
is `installed`, the shell must find the scripts by itself. The test takes the words that an option accepts from --help
and from WORDS. The name of the option's argument in --help says whether it accepts a file or a folder. Exit status 77:
SHELL (bash, zsh or fish), or the package bash-completion, is not installed."""
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

from manual import options_of_help, output_of

BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"
PATIENCE = 60
# Words that options accept and --help does not list, or lists in a sentence.
WORDS = {
    "smoothimg": {"--jobs": "all", "-j": "all", "--variant": "auto cpu gpu reference", "--device": "emulated"},
    "smoothimg-bench": {"--op": "smooth transpose reverse", "--image": "noise chequer photo", "--jobs": "all", "-j": "all",
                        "--variant": "reference cpu", "--against": "reference cpu", "--experiment": "transpose-float gemm gemv"},
}
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
# PLACE: commands that tell a shell where to find completions that are not installed. SETUP: commands that a user has in
# start-up files.
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
# The command `answer`, which writes its arguments to a file. So the test sees into which words the shell splits a line.
ANSWER = """#!/bin/sh
printf '%s\\0' "$@" >'{answer}.part'
mv '{answer}.part' '{answer}'
"""


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
        # If this folder is missing, fish starts a process that makes completions from all manuals, and that would still
        # run after the shell has ended.
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
        """Waits until the command `answer` has written its arguments, and returns them. Meanwhile reads what the shell
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
        """Types a line and a key. Returns the words of the line as the shell has completed it. To get them, types the
        command `answer` at the beginning of the line, unless the key is "", and runs it. Ctrl-U (\\x15) empties the
        line, Ctrl-A (\\x01) moves to its beginning."""
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


def lines_of(name, program, names):
    """Yields (line, expected last word) for each option of --help, for words that an option takes, and for files and
    folders. names: the variants of this build."""
    rows = options_of_help(program)
    options = re.findall(r"--[\w-]+", " ".join(row.split(", ")[-1].split()[0] for row in rows))
    for option in set(options):
        yield f"{name} --{short(option[2:], {one[2:] for one in options if one != option})}", option
    words = {option: set(listed.split()) for option, listed in WORDS[name].items()}
    for option, word in re.findall(r"^(--[\w-]+) ([a-z]+)$", "\n".join(rows), re.M):
        words.setdefault(option, set()).add(word)
    if name == "smoothimg":
        words["--variant"] |= names
    others = {"--image": {"chart.png"}, "--variant": names, "--against": names}
    arguments = re.findall(r"^(?:(-\w), )?(--[\w-]+) ([A-Z]+)$", "\n".join(rows), re.M)
    for option, argument in ((form, argument) for *forms, argument in arguments for form in forms if form):
        known = words.pop(option, set())
        typed = [(short(word, known | others.get(option, set())), word) for word in sorted(known)]
        typed += [("fl", "flat.pgm")] if argument in ("FILE", "IMAGE") else [("fo", "folder")] if argument == "DIR" else []
        typed += [] if known or argument in ("FILE", "IMAGE") else [("fl", "fl")]
        for part, word in typed:
            yield f"{name} {option} {part}", word
            if option.startswith("--") and argument != "DIR" and word != part:
                yield f"{name} {option}={part}", f"{option}={word}"
    if words:
        raise ValueError(f"{name}: no such option with an argument: {sorted(words)}")


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
    lines = [*lines_of("smoothimg", program, variants(program)), *lines_of("smoothimg-bench", bench, variants(program)), *LINES]
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
