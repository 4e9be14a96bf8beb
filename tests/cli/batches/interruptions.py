# SPDX-License-Identifier: MIT
"""Stops the program while it replaces a file. The old file must stay as it is, and only SIGKILL may leave other files.

usage: interruptions.py PROGRAM IMAGES GROUP"""
import os
import random
import re
import signal
import subprocess
import time

import program

OLD = b"P5 1 1 255\n\7"  # content of out.pgm before the run
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)


def has_begun(pid, workshop):
    """Returns whether the process has a file of the folder open. /proc shows an output that has no name yet (O_TMPFILE)
    as "FOLDER/#NUMBER (deleted)"."""
    descriptors = f"/proc/{pid}/fd"
    for name in os.listdir(descriptors):
        try:
            if os.readlink(f"{descriptors}/{name}").startswith(f"{workshop.folder}/"):
                return True
        except FileNotFoundError:
            pass  # closed in the meantime
    return False


def start_and_hold(workshop, *options, **more):
    """Starts the program, writes only a part of its input, and waits until the program has opened its output."""
    image = (workshop.images / "starfield.pgm").read_bytes()
    process = workshop.start(*options, "--halo", "0", "-", "out.pgm", **more)
    process.stdin.write(image + image[:len(image) // 2])
    process.stdin.flush()
    limit = time.monotonic() + program.PATIENCE
    while process.poll() is None and not has_begun(process.pid, workshop):
        if time.monotonic() > limit:
            process.kill()
        time.sleep(0.005)
    return process


def end(process, rest=b""):
    """Writes `rest`, the last part of the program's input. Returns the program's exit status and messages."""
    try:
        process.stdin.write(rest)
        process.stdin.close()
    except BrokenPipeError:
        pass  # the program has ended already
    text = process.stderr.read().decode()
    status = process.wait(program.PATIENCE)
    process.stderr.close()
    process.stdout.close()
    return status, text


def stopped_by_now(process):
    """Waits until the program ends although its input is not complete. Returns the program's exit status and
    messages."""
    try:
        process.wait(program.PATIENCE)
    finally:
        process.kill()
        ending = end(process)
    return ending


def stopped(workshop):
    for number in SIGNALS:
        for old in (False, True):
            if old:
                (workshop.folder / "out.pgm").write_bytes(OLD)
            before = workshop.content()
            process = start_and_hold(workshop)
            process.send_signal(number)
            status, text = stopped_by_now(process)
            workshop.check(status == -number, f"{number.name}: exit status {status}, {text!r}")
            workshop.check(workshop.content() == before, f"{number.name}, old file {old}: "
                           f"{before.keys()} became {workshop.content().keys()}, or changed")
            (workshop.folder / "out.pgm").unlink(missing_ok=True)


def only_child(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        found = children.read().split()
    return int(found[0]) if found else None


def stopped_as_first(workshop):
    """Runs the program as the first process of a container. Signals have no default action for such a process, so the
    program must exit by itself."""
    alone = ["unshare", "--pid", "--fork", "--kill-child"]
    try:
        subprocess.run([*alone, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        raise program.Skip("unshare --pid is not there, or not allowed") from None
    image = (workshop.images / "starfield.pgm").read_bytes()
    process = subprocess.Popen([*alone, workshop.program, "-", "out.pgm"], cwd=workshop.folder,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdin.write(image + image[:len(image) // 2])
    process.stdin.flush()
    limit = time.monotonic() + program.PATIENCE
    while time.monotonic() < limit:
        child = only_child(process.pid)
        if child and has_begun(child, workshop):
            break
        time.sleep(0.005)
    os.kill(child, signal.SIGTERM)
    status, text = stopped_by_now(process)
    workshop.check(status == 128 + signal.SIGTERM, f"SIGTERM, as process 1: {status}, {text!r}")
    workshop.check(not workshop.content(), f"SIGTERM, as process 1: {workshop.content().keys()}")


HIDDEN = re.compile(rb"\.out\.pgm\.[0-9a-f]{16}\.smoothimg")


def hidden(workshop, count):
    """Checks that there are `count` temporary files, and no others, beside the output. Returns them."""
    found = set(workshop.content()) - {b"out.pgm"}
    workshop.check(len(found) == count and all(map(HIDDEN.fullmatch, found)), f"{found}, not {count} hidden ones")
    return found


def kill_once(workshop, litter):
    """Kills the program while it replaces an old file, which must not change. Checks that `litter` hidden files remain,
    and returns them."""
    old = workshop.folder / "out.pgm"
    old.write_bytes(OLD)
    process = start_and_hold(workshop)
    process.kill()
    workshop.check(stopped_by_now(process)[0] == -signal.SIGKILL, "SIGKILL did not kill it")
    workshop.check(old.read_bytes() == OLD, "after SIGKILL the old file has changed")
    return hidden(workshop, litter)


def run_again(workshop):
    """Runs the program again. Afterwards the folder must have only the new output."""
    image = (workshop.images / "starfield.pgm").read_bytes()
    workshop.check_works("--halo", "0", "-", "out.pgm", data=image)
    workshop.check(workshop.content() == {b"out.pgm": image}, f"the run after SIGKILL: "
                   f"{workshop.content().keys()}")


def killed(workshop):
    """A killed run leaves no file, since its unfinished output has no name (O_TMPFILE)."""
    kill_once(workshop, 0)
    run_again(workshop)


def killed_named(workshop):
    """Where there is no O_TMPFILE, a killed run leaves one hidden file, its unfinished output. Other runs do not change
    that file."""
    [litter] = kill_once(workshop, 1)
    left = (workshop.folder / os.fsdecode(litter)).read_bytes()
    processes = start_and_hold(workshop), start_and_hold(workshop)
    workshop.check(litter in hidden(workshop, 3), "at the same time: it is gone")
    for process in processes:
        process.send_signal(signal.SIGTERM)
        workshop.check(stopped_by_now(process)[0] == -signal.SIGTERM, "SIGTERM did not end it")
    workshop.check(hidden(workshop, 1) == {litter} and
                   (workshop.folder / os.fsdecode(litter)).read_bytes() == left, "another run's file has changed")
    (workshop.folder / os.fsdecode(litter)).unlink()
    run_again(workshop)


def killed_at_random(workshop, named=False):
    """Kills the program at random moments while it processes a folder. Each file must be the old or the new one, and a
    second run must complete the folder. Hidden files may remain only if outputs replace old files, or if the program is
    built without O_TMPFILE (`named`)."""
    workshop.make_folder("in", "flat.pgm", "colours.png", "starfield.pgm", "two.pgm", "alpha16.png")
    start = time.monotonic()
    workshop.check_works("-q", "in", "wanted")
    duration = time.monotonic() - start
    wanted = {path.name: path.read_bytes() for path in (workshop.folder / "wanted").iterdir()}
    out = workshop.folder / "out"
    moments = random.Random(1)
    for round_ in range(40):
        old = OLD if round_ % 2 else None
        out.mkdir()
        for name in wanted if old else ():
            (out / name).write_bytes(old)
        process = workshop.start("-q", "in", "out")
        time.sleep(moments.uniform(0, duration))
        process.kill()
        stopped_by_now(process)
        found = {path.name: path.read_bytes() for path in out.iterdir()}
        left = {name for name in found if name.startswith(".")}
        for name in found.keys() - left:
            workshop.check(found[name] in (old, wanted.get(name)), f"round {round_}: {name} is "
                           "neither the old file nor the new one")
        workshop.check(not left or old or named, f"round {round_}: {left}")
        workshop.check_works("-q", "in", "out")
        found = {path.name: path.read_bytes() for path in out.iterdir()}
        workshop.check(found.keys() == wanted.keys() | left and found.items() >= wanted.items(),
                       f"round {round_}, again: {found.keys()}")
        for path in out.iterdir():
            path.unlink()
        out.rmdir()


def killed_at_random_named(workshop):
    killed_at_random(workshop, named=True)


def spared(workshop):
    """If the caller ignores a signal, as nohup ignores SIGHUP, the program ignores it too."""
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    image = (workshop.images / "starfield.pgm").read_bytes()
    process = start_and_hold(workshop, preexec_fn=ignore)
    process.send_signal(signal.SIGHUP)
    status, text = end(process, image[len(image) // 2:])
    workshop.check((status, text) == (0, ""), f"SIGHUP, ignored: {status}, {text!r}")
    workshop.check((workshop.folder / "out.pgm").read_bytes() == 2 * image, "SIGHUP, ignored")


def broken_pipe(workshop):
    """If the reader of a pipe has closed it, the program prints no message and ends by SIGPIPE, as shells expect."""
    workshop.take("starfield.pgm")
    for words in (["starfield.pgm", "-"], ["--help"], ["--json", "starfield.pgm", "out.pgm"]):
        reader, writer = os.pipe()
        os.close(reader)
        ended = workshop.run(*words, stdout=writer)
        os.close(writer)
        workshop.check(ended.status == -signal.SIGPIPE and ended.err == "", f"{words}: {ended}")


def closed_streams(workshop):
    """The caller may have closed standard streams. Files that the program opens must not get the descriptors 0, 1 and
    2."""
    workshop.take("flat.pgm")
    wanted = workshop.check_works("flat.pgm", "-")
    for words, message in ((["--help"], ".*"), (["flat.pgm", "-"], "it is closed")):
        workshop.check_ends(words, 5, re.compile(f"standard output: cannot be written: {message}"),
                            stdout=None, preexec_fn=lambda: os.close(1))
    for words, what in ((["-", "out.pgm"], "cannot be opened"),
                        (["--files-from", "-", "-O", "out"], "this list of files cannot be read")):
        workshop.check_ends(words, 3, f"standard input: {what}: it is closed", stdin=None, data=None,
                            preexec_fn=lambda: os.close(0))
    for closed in ((0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)):
        def close():
            for stream in closed:
                os.close(stream)
        ended = workshop.run("-v", "flat.pgm", "out.pgm", preexec_fn=close)
        workshop.check(ended.status == 0, f"{closed} closed: {ended}")
        workshop.check((workshop.folder / "out.pgm").read_bytes() == wanted, f"{closed} closed")
        (workshop.folder / "out.pgm").unlink()


if __name__ == "__main__":
    program.main(__doc__, {
        "signals": [stopped, killed, spared],
        "kills": [killed_at_random],
        "first": [stopped_as_first],
        # This group gets the program that is built without O_TMPFILE.
        "named": [stopped, killed_named, killed_at_random_named, spared],
        "streams": [broken_pipe, closed_streams],
    })
