# SPDX-License-Identifier: MIT
"""Helpers of all tests of the program: a folder to work in, runs, and the count of faults.

A test is a group of functions. Each gets a Workshop, which has the program, the folder of images, and a fresh folder in
which the program runs. A failed check is printed, and the test goes on. The exit status is 1 if a check failed, and 77
(Meson: skipped) if no function could run here or nothing was checked."""
import json
import os
import re
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import NamedTuple

SKIPPED = 77
NOBODY = 65534  # number of a user without rights, for tests of permissions: root may do everything
PATIENCE = 120  # seconds, after which a program counts as hanging


class Skip(Exception):
    """Raised if a test function cannot run here; the text says why."""


# Notes that a successful run may print. notes.py tests them.
NOTES = re.compile(r"smoothimg: (?:verified: .*|.*: not carried over to .*|.*: read as .* channels, since .*|.* too dark in most .*|.*: JPEG is lossy: .*|.*: --alpha has no effect: .*|.*: samples of .*, though the tag GDAL_NODATA .*)\n")
# The note that an output was replaced. run() drops it, since many tests write an output several times.
REPLACED = re.compile(r"smoothimg: .*: an older image of this name was replaced\n")


class Ended(NamedTuple):
    """How a run ended. If a signal ended the run, status is minus the signal's number."""
    status: int
    out: bytes
    err: str

    def without_notes(self):
        return self._replace(err=NOTES.sub("", self.err))

    def joined(self):
        """Returns standard error. Joins the lines of -v that were broken at 80 columns."""
        return self.err.replace("\n    ", " ")


class Workshop:
    name = "smoothimg"  # the program's name in its messages

    def __init__(self, program, images):
        self.program, self.images = Path(program).resolve(), Path(images).resolve()
        self.folder = None
        self.checks = self.faults = 0
        self.updates = False  # with --update: Goldens writes the program's messages into its file

    def check(self, good, what):
        self.checks += 1
        if not good:
            self.faults += 1
            print("wrong:", what)
        return good

    def take(self, *names):
        """Copies images into the folder."""
        for name in names:
            shutil.copyfile(self.images / name, self.folder / Path(name).name)

    def plant(self, *names, data=None):
        """Writes a file under each of these names below the folder. The file's bytes are `data`, or those of flat.pgm
        if `data` is None or empty."""
        data = data or (self.images / "flat.pgm").read_bytes()
        for name in names:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def make_folder(self, folder, *names):
        """Makes a folder in the workshop's folder, with copies of images. Returns its path."""
        path = self.folder / folder
        path.mkdir()
        for name in names:
            shutil.copyfile(self.images / name, path / Path(name).name)
        return path

    def content(self):
        """Returns {path: content} of everything below the folder, so that a test can compare before and after a run.
        The content of a link is its target's path. The content of a folder, pipe or device is None."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            name = os.fsencode(path.relative_to(self.folder))
            if path.is_symlink():
                found[name] = os.readlink(path)
            else:
                found[name] = path.read_bytes() if path.is_file() else None
        return found

    def state(self):
        """Returns {path: numbers} of everything below the folder. A file that is changed or replaced gets other numbers.
        Reads no file, unlike content(), so that files may be large or closed."""
        infos = {path: path.lstat() for path in self.folder.rglob("*")}
        return {path: (info.st_mode, info.st_ino, *((info.st_size, info.st_ctime_ns) if stat.S_ISREG(info.st_mode) else ()))
                for path, info in infos.items()}

    def start(self, *words, **more):
        """Starts the program in the folder. Returns a subprocess.Popen, whose streams are pipes unless `more` names
        others."""
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen([self.program, *words], cwd=self.folder, **{**streams, **more})

    def run(self, *words, data=b"", all_said=False, **more):
        """Runs the program with data on its standard input. Removes the note REPLACED from standard error unless
        all_said."""
        with self.start(*words, **more) as process:
            try:
                out, err = process.communicate(data, PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        said = (err or b"").decode(errors="replace")
        return Ended(process.returncode, out or b"", said if all_said else REPLACED.sub("", said))

    def said_at_end(self, words, status, **more):
        """Runs the program with these words. It must exit with this status, print one message and nothing on standard
        output, and change no file. Returns the message without the prefix 'NAME: ' and, for status 2, without the last
        line 'Try ...'."""
        before = self.state()
        ended = self.run(*words, **more)
        text, line = ended.err, shlex.join(map(str, words))
        if status == 2:
            text = re.sub(f"Try '{self.name} (-h|--help)' or 'man {self.name}'.\n$", "", text)
        said = re.fullmatch(f"{self.name}: (?s:(.*))\n", text)
        self.check(ended.status == status, f"{line}: exit status {ended.status}, not {status}")
        self.check(said, f"{line}:\n  said   {ended.err!r}")
        self.check(not ended.out, f"{line}: {len(ended.out)} bytes on standard output")
        self.check(self.state() == before, f"{line}: files came, went or changed")
        return said[1] if said else ""

    def check_ends(self, line, status, message, **more):
        """Runs the program with `line`, a list of words or a text that is split as by a shell. The run must fail with
        this exit status and message. `message` is a text, or a compiled regular expression for the whole message."""
        said = self.said_at_end(shlex.split(line) if isinstance(line, str) else line, status, **more)
        pattern = message.pattern if isinstance(message, re.Pattern) else re.escape(message)
        self.check(re.fullmatch(f"(?s:{pattern})", said), f"{line}:\n  said   {said!r}\n  wanted {pattern!r}")
        return said

    def check_works(self, *words, **more):
        """Runs the program with these words. It must succeed, and print no message but notes. Returns the standard
        output."""
        ended = self.run(*words, **more).without_notes()
        good = ended.status == 0 and ended.err == ""
        self.check(good, f"{shlex.join(map(str, words))}: {ended.status}, {ended.err!r}")
        return ended.out

    def check_says(self, line, said, status=0, **more):
        """Runs the program with `line`, words as for check_ends. It must exit with this status, and print exactly the
        text `said` on standard error and nothing on standard output."""
        ended = self.run(*(line.split() if isinstance(line, str) else line), **more)
        self.check(ended == (status, b"", said), f"{line}: {ended}, not {said!r}")

    def check_tells(self, line, text, status=0, **more):
        """Runs the program like check_says, but `text` may be a part of what it prints. Returns how the run ended."""
        ended = self.run(*(line.split() if isinstance(line, str) else line), **more)
        self.check(ended.status == status and text in ended.joined(), f"{line}: {ended} lacks {text!r}")
        return ended

    def made(self, *words, **more):
        """Like check_works, but returns the bytes of the file that the last word names."""
        self.check_works(*words, **more)
        return (self.folder / words[-1]).read_bytes()

    def outputs(self, folder="out"):
        """Returns {path below the folder: bytes} of the folder's files, or None if there is no folder."""
        root = self.folder / folder
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*"))
                if path.is_file()} if root.exists() else None

    def run_each(self, files, *words):
        """Writes `files`, {name: bytes}, into a folder and runs the program once for the folder. Returns {name: (exit
        status, message, path of the output)}."""
        folder = Path(tempfile.mkdtemp(prefix="in", dir=self.folder))
        for name, data in files.items():
            (folder / name).write_bytes(data)
        ended = self.run("--json", *words, folder.name, folder.name + "-out")
        lines = [json.loads(line) for line in ended.out.splitlines()]
        found = {Path(line["input"]).name: line for line in lines if line["status"] != "summary"}
        self.check(found.keys() == files.keys(), f"{words}: {found.keys() ^ files.keys()} are missing: {ended.err}")
        return {name: (line["exit"], line.get("error", ""), self.folder / line["output"])
                for name, line in found.items()}

    def check_prints(self, *words):
        """Like check_works, but returns text, whose lines must fit in 80 columns, without blanks at their ends."""
        text = self.check_works(*words).decode()
        self.check(text.endswith("\n"), f"{shlex.join(words)}: the text is cut off: {text[-80:]!r}")
        for line in text.splitlines():
            self.check(len(line) <= 80 and line == line.rstrip(), f"{shlex.join(words)}: the line {line!r}")
        return text


class Goldens:
    """A file of expected messages, each of which takes two lines. The first line has an exit status and a text, usually
    a command line; the second line has the message, in which [...] stands for any text. --update writes the program's
    messages into the file."""

    def __init__(self, path):
        self.path, self.lines = path, path.read_text().splitlines()

    def __iter__(self):
        """Yields (status, text, index of the message in self.lines) for each pair of lines."""
        for number, line in enumerate(self.lines, 1):
            row = re.fullmatch(r"(\d): ?(.*)", line)
            if row:
                yield int(row[1]), row[2], number

    def pattern(self, number):
        return ".*".join(map(re.escape, self.lines[number].strip().split("[...]")))

    def check(self, workshop, number, said):
        good = re.fullmatch(self.pattern(number), said)
        workshop.check(good or workshop.updates, f"{self.lines[number - 1]}\n  said   {said}\n  wanted {self.lines[number].strip()}")
        if workshop.updates and not good:
            self.lines[number] = "    " + said
            self.path.write_text("\n".join(self.lines) + "\n")


def check_refusals(workshop, path):
    """Runs the command lines of the file `path`, which Goldens describes. Each must be refused with its status and
    message. Returns a list of (words, message)."""
    texts, found = Goldens(path), []
    for status, line, number in texts:
        words = shlex.split(line)
        said = workshop.said_at_end(words, status)
        texts.check(workshop, number, said)
        found.append((words, said))
    return found


def summary(done, failed, *, skipped=0, left=0, foreign=0, others=0):
    """Returns the last line that a run with several files prints, for these numbers of files. Counts of 0 are left out,
    except `done` and `failed`."""
    files = "file skipped (not a supported image)" if others == 1 else "files skipped (not supported images)"
    some = [(skipped, "skipped (the output exists)"), (failed, "failed"), (left, "not begun"),
            (foreign, "left to other shards"), (others, files)]
    return f"smoothimg: {done} done" + "".join(
        f", {count} {words}" for count, words in some if count or words == "failed") + "\n"


def as_nobody(workshop):
    """Returns arguments for run() that take root's rights away, or {} if the user is not root."""
    if os.geteuid() != 0:
        return {}
    workshop.folder.chmod(0o777)
    rights = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        started = workshop.run("--version", **rights).status == 0
    except OSError:
        started = False
    if not started:
        raise Skip("as root, and another user cannot start the program where it lies")
    return rights


def perform(workshop, parts):
    """Runs the functions, each in a new folder. Returns how many could run here."""
    tried = 0
    for part in parts:
        with tempfile.TemporaryDirectory() as folder:
            workshop.folder = Path(folder).resolve()
            try:
                part(workshop)
                tried += 1
            except Skip as why:
                print(f"skipped: {part.__name__}: {why}")
            except Exception:  # for example, an output is missing; the other functions still run
                traceback.print_exc(file=sys.stdout)
                workshop.check(False, f"{part.__name__} could not go on")
    return tried


def restore_signals():
    """Lets signals end the tested program as usual, even if this script was started with some of them blocked, or
    ignored (by nohup, or a shell's &). Child processes inherit blocked and ignored signals, but no handlers. So
    unblocks the signals, and gives a handler to those that are ignored. subprocess restores SIGPIPE, which Python
    ignores."""
    numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (*numbers, signal.SIGPIPE))
    for number in numbers:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def main(usage, groups):
    """Runs the test. `groups` maps each name that the command line accepts to a list of test functions."""
    restore_signals()
    # Core files would be new files in the folders that tests compare.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) != 3 or words[2] not in groups:
        sys.exit(f"{usage}\nGROUP is one of: {', '.join(groups)}")
    # With this variable the leak sanitizer ignores the leaks of other libraries, which leaks.txt lists.
    leaks = Path(__file__).resolve().parents[1] / "ci" / "leaks.txt"
    os.environ.setdefault("LSAN_OPTIONS", f"suppressions={leaks}:print_suppressions=0")
    workshop = Workshop(*words[:2])
    workshop.updates = "--update" in sys.argv
    tried = perform(workshop, groups[words[2]])
    print(f"{workshop.checks} checks, {workshop.faults} wrong")
    if workshop.faults:
        sys.exit(1)
    sys.exit(0 if tried and workshop.checks else SKIPPED)
