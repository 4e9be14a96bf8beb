# SPDX-License-Identifier: MIT
"""Tests the progress bar as it appears on terminals of several widths, and cases without a bar.

usage: progress.py PROGRAM IMAGES GROUP"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

import program

# The two groups of this expression are the parts that narrow terminals lack: group 1 is the drawn bar, group 2 the time
# that is left and the speed.
BAR = re.compile(r"(\[#*-*\] )? ?\d?\d?\d%(  [\d:]+ left  [\d.]+ MB/s)?")
SLOW = ["-j1", "--variant", "reference", "--halo", "2"]  # options with which a folder takes half a second or more

F_SETPIPE_SZ = 1031  # of Linux; the module fcntl has it since Python 3.10


def make_folder(workshop, *more):
    """Makes a folder of images that take long enough for a bar."""
    folder = workshop.make_folder("in", *more)
    image = (workshop.images / "starfield.pgm").read_bytes()
    for i in range(6):
        (folder / f"{i}.pgm").write_bytes(image)


def on_terminal(workshop, *words, columns=80, kill=None, kind="xterm", stdout=None):
    """Runs the program on a new pseudo-terminal. Returns what the terminal gets, the exit status, and how many seconds
    the run took. `kill` is a signal to send when the first bar appears; `stdout` is a file in place of the terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {**os.environ, "TERM": kind}
    begin = time.monotonic()
    with subprocess.Popen([workshop.program, *words], cwd=workshop.folder, stdin=slave, stderr=slave,
                          stdout=stdout or slave, env=env, start_new_session=True) as process:
        os.close(slave)
        shown = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the program has closed the terminal
                break
            shown += piece
            if kill and b"%" in shown:
                process.send_signal(kill)
                kill = None
    os.close(master)
    return shown.decode(), process.returncode, time.monotonic() - begin


def screen(shown, columns):
    """Returns the final lines on the terminal, the column of the cursor, and each bar that was ever visible. Raises
    ValueError if a bar is too wide for the terminal, or for a control sequence that is not ESC [ K."""
    lines, bars, line, at = [], [], "", 0
    for token in re.findall(r"\x1b\[K|[\r\n]|[^\r\n\x1b]+|\x1b", shown):
        if token == "\r":
            if "%" in line:
                bars.append(line)
            at = 0
        elif token == "\n":
            lines.append(line)
            line = ""
        elif token == "\x1b[K":
            line = line[:at]
        elif token == "\x1b":
            raise ValueError("another control sequence")
        else:
            line = line[:at] + token + line[at + len(token):]
            at += len(token)
            if len(line) >= columns and "%" in line:
                raise ValueError(f"{line!r} is too wide for {columns} columns")
    return lines + [line], at, [bar for i, bar in enumerate(bars) if i == 0 or bar != bars[i - 1]]


SUMMARY = program.summary(6, 0).rstrip()


def failing(workshop):
    """Files that cannot be opened, or whose folder cannot be made, count as work that is done. The last message, which
    is of such a file, is followed by a full bar."""
    make_folder(workshop)
    (workshop.folder / "in/sub").mkdir()
    shutil.copy(workshop.images / "dot.pgm", workshop.folder / "in/sub/a.pgm")
    (workshop.folder / "in/y.pgm").symlink_to("nothing")
    (workshop.folder / "out").mkdir()
    (workshop.folder / "out/sub").touch()
    shown, status, _ = on_terminal(workshop, *SLOW, "--halo", "4", "-r", "in", "out", columns=80)
    lines, _, bars = screen(shown, 80)
    workshop.check(status == 1 and "100%" in bars[-1], f"{lines}, {bars}")


def widths(workshop):
    make_folder(workshop)
    more = ["--halo", "4"]  # a larger halo, so that the first run takes long enough to show a speed
    for columns, parts in ((80, 2), (40, 1), (20, 0), (6, 0)):
        shown, status, seconds = on_terminal(workshop, *SLOW, *more, "in", "out", columns=columns)
        lines, at, bars = screen(shown, columns)
        more = []
        said = " ".join(line.strip() for line in lines[:-1])  # the message may wrap
        workshop.check(status == 0 and said == SUMMARY and lines[-1] == "" and at == 0, f"{columns}: {lines}, {at}")
        workshop.check(all(BAR.fullmatch(bar) for bar in bars), f"{columns}: {bars}")
        most = max(sum(part is not None for part in BAR.fullmatch(bar).groups()) for bar in bars)
        workshop.check(len(bars) > 1, f"{columns}: {len(bars)} bars in {seconds} s")
        workshop.check(most <= parts and (seconds < 1.5 or most + 1 >= parts), f"{columns}: not {parts} parts: {bars}")
        drawn = shown.count("%")
        workshop.check(drawn <= 10 * seconds + 1, f"{columns}: {drawn} draws in {seconds} s")
        percents = [int(re.search(r"(\d+)%", bar)[1]) for bar in bars]
        workshop.check(percents == sorted(percents), f"{columns}: backwards: {percents}")


def mixed(workshop):
    """The bar does not count bytes of files. The program processes a PGM and then five PNG files, each of which has
    less than a tenth of the PGM's bytes and takes as long. If the bar counted bytes, it would be near 100 % from the
    end of the PGM on. A second run processes one PNG file alone."""
    make_folder(workshop)
    for i in range(1, 6):
        (workshop.folder / f"in/{i}.pgm").unlink()
    workshop.check_works("-q", "--format", "png", "--png-level", "9", "--halo", "64", "in", "png")
    for i in range(5):
        shutil.copyfile(workshop.folder / "png/0.png", workshop.folder / f"in/{i}.png")
    share = (workshop.folder / "in/0.png").stat().st_size / (workshop.folder / "in/0.pgm").stat().st_size
    for folder, halo in (("in", "4"), ("png", "12")):  # png: one file only
        shown, status, _ = on_terminal(workshop, *SLOW, "--halo", halo, folder, f"{folder}-out")
        percents = [int(re.search(r"(\d+)%", bar)[1]) for bar in screen(shown, 80)[2]]
        late = sum(percent >= 85 for percent in percents) / len(percents)
        workshop.check(status == 0 and share < 0.1 and late < 0.4, f"{folder}: {share}: {percents}")


def often(workshop):
    """The program draws at most ten bars a second, also if it finishes more files or rows than that."""
    folder = workshop.folder / "in"
    folder.mkdir()
    for name, count in (("colours.png", 300), ("starfield.pgm", 30)):
        workshop.take(name)
        for i in range(count):
            os.link(workshop.folder / name, folder / f"{i}{name}")
    shown, status, seconds = on_terminal(workshop, "in", "out")
    drawn = shown.count("%")
    workshop.check(status == 0, f"exit status {status}")
    # On a fast machine the run ends before the first bar is drawn.
    workshop.check((seconds > 0.5) <= drawn <= 10 * seconds + 1, f"{drawn} draws in {seconds} s")


def messages(workshop):
    """Each message is on a separate line, and the bar continues below the message."""
    make_folder(workshop, "broken/truncated.pgm", "broken/bad_crc.png", "two.pgm")
    (workshop.folder / "in" / "3b.pgm").write_bytes(b"P5 9 9 255\n")
    shown, status, _ = on_terminal(workshop, *SLOW, "in", "out", columns=500)
    lines, _, bars = screen(shown, 500)
    workshop.check(status == 1 and bars, f"{status}, {bars}")
    workshop.check(not any(BAR.search(line) for line in lines), f"a bar among messages: {lines}")
    errors = [line for line in lines if line.startswith("smoothimg: in/")]
    workshop.check(len(errors) == 3, f"{lines}")


def not_wanted(workshop):
    """There is no bar if -v or --json prints to the terminal, if an option forbids the bar, on a dumb terminal, or
    for a single file that takes little time."""
    make_folder(workshop)
    for words in (["--no-progress"], ["-q"], ["-v"], ["--json"]):
        shown, status, _ = on_terminal(workshop, *SLOW, *words, "in", "out", columns=500)
        workshop.check(status == 0 and "%" not in shown and "\x1b" not in shown, f"{words}: {shown!r}")
    shown, status, _ = on_terminal(workshop, "in/1.pgm", "out.pgm")
    workshop.check((shown, status) == ("", 0), f"a single file: {shown!r}")
    shown, status, _ = on_terminal(workshop, *SLOW, "in", "out", kind="dumb")
    workshop.check(shown == SUMMARY + "\r\n", f"a dumb terminal: {shown!r}")


def elsewhere(workshop):
    """The terminal shows the bar if --json writes to a file. Without a terminal there is no bar."""
    make_folder(workshop)
    with open(workshop.folder / "lines", "wb") as file:
        shown, status, _ = on_terminal(workshop, *SLOW, "--json", "in", "out", stdout=file)
    workshop.check(status == 0 and screen(shown, 80)[2], f"--json into a file: {shown!r}")
    count = (workshop.folder / "lines").read_bytes().count(b"\n")
    workshop.check(count == 7, f"--json into a file: {count} lines")
    ended = workshop.run("in", "out")
    workshop.check("%" not in ended.err, f"into a pipe: {ended.err!r}")


def skipped_files(workshop):
    """The bar does not count skipped files, so it reaches about 100 %."""
    make_folder(workshop)
    (workshop.folder / "out").mkdir()
    for i in range(5):
        (workshop.folder / "out" / f"{i}.pgm").write_bytes(b"old")
    shown, status, _ = on_terminal(workshop, *SLOW, "--halo", "12", "--skip-existing", "in", "out")
    workshop.check(status == 0 and any(re.search(r"9\d%|100%", bar) for bar in screen(shown, 80)[2]), f"{shown!r}")


def signals(workshop):
    """If a signal ends the run, the message under the bar says how many files are done and how to continue."""
    make_folder(workshop)
    more = ["--halo", "10"]  # keeps the run from ending before the signal, even on a busy machine
    for number, words, way in (
            (signal.SIGINT, ["in", "out"], "the same command with --skip-existing goes on"),
            (signal.SIGTERM, ["--skip-existing", "in", "out"], "the same command goes on"),
            (signal.SIGHUP, ["--in-place", "in"], "those that are done would be done twice by the same "
             "command: name the others")):
        shown, status, _ = on_terminal(workshop, *SLOW, *more, *words, kill=number)
        lines, at, _ = screen(shown, 80)
        workshop.check(status == -number, f"{number}: {status}")
        workshop.check(shown.endswith("\n") and lines[-1] == "" and BAR.fullmatch(lines[0]),
                       f"{number}: {shown[-300:]!r}")
        text = " ".join(line.strip() for line in lines[1:-1])
        said = re.fullmatch(r"smoothimg: interrupted: (\d) done, 0 failed, (\d) not done; (.*)", text)
        workshop.check(said and int(said[1]) + int(said[2]) == 6 and said[3] == way, f"{number}: {text!r}")
        shutil.rmtree(workshop.folder / "out", ignore_errors=True)


def last_record(workshop):
    """With --json, the last line is the summary, even if a signal ends the run."""
    make_folder(workshop)
    for words, ways_on in ((["in", "out"], True), (["in/1.pgm", "out.pgm"], False)):
        with open(workshop.folder / "lines", "w+b") as file:
            with workshop.start("--json", *SLOW, "--halo", "64", *words, stdout=file) as process:
                process.stdin.close()
                time.sleep(0.7)
                process.send_signal(signal.SIGINT)
                text = process.stderr.read().decode()
            file.seek(0)
            lines = [json.loads(line) for line in file.read().split(b"\n")[:-1]]
        files = 6 if ways_on else 1
        workshop.check(process.returncode == -signal.SIGINT, f"{words}: {process.returncode}")
        workshop.check([line["status"] for line in lines][-1:] == ["summary"], f"{words}: {lines}")
        workshop.check(lines[-1]["exit"] is None and lines[-1]["done"] + lines[-1]["left"] == files,
                       f"{words}: {lines[-1]}")
        workshop.check(("interrupted: " in text) == ways_on, f"{words}: {text!r}")


def long_records(workshop):
    """A signal that comes while a line of --json is written waits for its end: the summary does not lie within the
    line, and counts the file. The line is so long that a pipe takes it in parts, and the pipe's reader comes late."""
    path = workshop.folder / "in"
    for letter in "abcdefghijklm":
        path = path / (200 * letter)
    path.mkdir(parents=True)
    for i in range(20):
        (path / f"{i}.pgm").write_bytes(b"P5 1 1 255\n\7")
    reader, writer = os.pipe()
    length = fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
    with open(reader, "rb") as stream, workshop.start("--json", "--dry-run", "-r", "in", "out", stdout=writer) as process:
        os.close(writer)
        limit = time.monotonic() + program.PATIENCE
        while fcntl.ioctl(reader, termios.FIONREAD, bytes(4)) != struct.pack("i", length) and time.monotonic() < limit:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        lines = stream.read().splitlines()
    workshop.check(process.returncode == -signal.SIGTERM, f"{process.returncode}")
    try:
        records = [json.loads(line) for line in lines]
    except ValueError:
        workshop.check(False, f"lines are mixed: {[line[:40] + b'...' + line[-40:] for line in lines]}")
        return
    workshop.check(len(lines[0]) > select.PIPE_BUF, f"a pipe takes a line of {len(lines[0])} bytes whole")
    workshop.check(records[-1]["status"] == "summary" and records[-1]["left"] == 20 - (len(records) - 1),
                   f"{len(records)} lines, at last {records[-1]}")


def single(workshop):
    """A single image has a bar if it takes more than a second."""
    make_folder(workshop)
    for more, shows in (([], True), (["-q"], False), (["--no-progress"], False)):
        shown, status, seconds = on_terminal(workshop, *SLOW, "--halo", "24", *more, "in/1.pgm", f"out{''.join(more)}.pgm")
        lines, at, bars = screen(shown, 80)
        workshop.check(status == 0 and lines == [""] and at == 0, f"{more}: {status}, {lines}")
        workshop.check(bool(bars) == shows or seconds < 2, f"{more}: {bars} in {seconds} s")


if __name__ == "__main__":
    program.main(__doc__, {
        "terminals": [widths, mixed, often, messages, failing],
        "elsewhere": [not_wanted, elsewhere, skipped_files],
        "signals": [signals, last_record, long_records],
        "single": [single],
    })
