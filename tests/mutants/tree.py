# SPDX-License-Identifier: MIT
"""A scratch copy of the sources with a build folder, in which mutants are built and tested."""
import fcntl
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

from mutants import ROOT, Wrong

SETUP = ["-Dcuda=disabled", "-Dpeers=disabled", "--buildtype=release"]
# The PYTHONPATH that tests/meson.build sets for all tests. `meson introspect` does not show it.
SCRIPTS = os.pathsep.join(str(ROOT / "tests" / folder)
                          for folder in ("definition", "cli", "cli/formats"))
SKIPPED = 77  # the exit status of a test that cannot run here
BUILD_SECONDS = 900
TIME_OUT = None  # stands for the exit status of a test that hangs


def source_files():
    """Returns the files of the working tree, untracked ones too, relative to the root."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [file for file in listed.split("\0") if file and (ROOT / file).is_file()]


def finish(process, seconds):
    """Waits at most this many seconds for the process, and then kills it and all that it has started. Returns its exit
    status, or TIME_OUT."""
    try:
        status = process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        status = TIME_OUT
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return status


def run(command, folder, seconds, **environment):
    """Runs a command in the folder, as the leader of a new session, so that finish() can kill its children, too.
    Returns the exit status and the output."""
    with tempfile.TemporaryFile() as output:  # a mutant may print without end
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, **environment})
        status = finish(process, seconds)
        output.seek(0)
        return status, output.read().decode(errors="replace")


class Tree:
    def __init__(self, folder, files, processors, known=()):
        self.processors = processors  # number of processors that ninja may use
        self.sources, self.build_folder = folder / "sources", folder / "build"
        folder.mkdir(parents=True, exist_ok=True)
        self.lock = open(folder / "lock", "w", encoding="utf-8")  # held while this object exists
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Wrong(f"another run works in {folder}; name another folder by --scratch") \
                from None
        self.copy(files)
        if not (self.build_folder / "build.ninja").exists():
            self.must(["meson", "setup", self.build_folder, self.sources, *SETUP])
        self.must(["ninja", "-C", self.build_folder, "build.ninja"])
        self.tests = {test["name"]: test for test in self.introspect("--tests")}
        self.targets = {target["id"]: [os.path.relpath(path, self.build_folder)
                                       for path in target["filename"]]
                        for target in self.introspect("--targets")}
        self.seconds = {}  # how long each test takes without a mutant
        # Tests that cannot run here, such as those of the Python package if it is not built.
        self.skipped = {name for name in known if name not in self.tests}
        self.failing = {}  # tests that fail without a mutant, and the ends of their outputs; they are left out
        self.objects = {}  # results of objects_of()
        self.code = {}  # a digest of each object file, compiled without a mutant

    def copy(self, files):
        """Copies the files that differ, so that only these are compiled again. Removes files that no longer exist."""
        for file in files:
            source, target = ROOT / file, self.sources / file
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        present = {path for path in self.sources.rglob("*") if path.is_file()}
        for path in present - {self.sources / file for file in files}:
            if "__pycache__" not in path.parts:
                path.unlink()

    def must(self, command):
        """Runs a command that must succeed. Returns its output."""
        status, output = run(command, ROOT, BUILD_SECONDS)
        if status != 0:
            raise Wrong(f"{shlex.join(map(str, command))} failed:\n{output[-3000:]}")
        return output

    def introspect(self, what):
        return json.loads(self.must(["meson", "introspect", what, self.build_folder]))

    def needed(self, names):
        return sorted({path for name in names for target in self.test(name)["depends"]
                       for path in self.targets[target]})

    def ninja(self, targets):
        """Builds targets. Returns whether they compile, and the output."""
        status, output = run(["ninja", f"-j{self.processors}", *targets], self.build_folder, BUILD_SECONDS)
        return status == 0, output

    def must_compile(self, targets):
        compiles, output = self.ninja(targets)
        if not compiles:
            raise Wrong(f"without a mutant it does not compile:\n{output[-3000:]}")

    def objects_of(self, file, names):
        """Returns those object files in the programs of the tests `names` that depend on `file`. First compiles all
        object files of these programs, without a mutant, since ninja knows only then which headers each includes."""
        key = (file, *names)
        if key not in self.objects:
            tool = ["ninja", "-C", self.build_folder, "-t"]
            needed = self.must([*tool, "inputs", *self.needed(names)]).splitlines()
            objects = {name for name in needed if name.endswith(".o")}
            self.must_compile(objects)
            line = "    " + os.path.relpath(self.sources / file, self.build_folder)
            entries = self.must([*tool, "deps"]).split("\n\n")
            compiled = {entry.partition(":")[0] for entry in entries if line in entry.splitlines()}
            self.objects[key] = sorted(compiled & objects)
        return self.objects[key]

    def remember(self, objects):
        """Records the digests of these object files, compiled without a mutant."""
        if set(objects) - self.code.keys():
            self.must_compile(objects)
            self.code |= {name: self.code_of(name) for name in objects}

    def is_unchanged(self, objects):
        return all(self.code_of(name) == self.code[name] for name in objects)

    def code_of(self, name):
        """Returns a digest of an object file without its debug information, which changes if lines of the source move,
        although the code is the same."""
        with tempfile.NamedTemporaryFile() as stripped:
            self.must(["objcopy", "--strip-debug", self.build_folder / name, stripped.name])
            return hashlib.sha256(pathlib.Path(stripped.name).read_bytes()).digest()

    def test(self, name):
        """Returns Meson's data of a test. name: as for run_test()."""
        known = self.tests.get(name.partition(" + ")[0])
        if known is None:
            raise Wrong(f"there is no test '{name}'")
        return known

    def run_test(self, name, seconds):
        """Runs a test. name: Meson's name of it, which further arguments may follow: 'NAME + every 11'."""
        test, arguments = self.test(name), name.partition(" + ")[2]
        every = {} if test["env"].get("FAULT_EVERY") == "1" else {"FAULT_EVERY": "11"}
        return run([*test["cmd"], *arguments.split()], test["workdir"] or self.build_folder,
                   seconds, **{"MALLOC_PERTURB_": "165", "PYTHONPATH": SCRIPTS, **test["env"], **every,
                                   "SMOOTHIMG_TEST_AS_IT_IS": "1"})

    def check_test(self, name):
        """Builds and runs a test without a mutant. If it fails or is skipped, it is left out from then on."""
        self.must_compile(self.needed([name]))
        start = time.monotonic()
        status, output = self.run_test(name, BUILD_SECONDS)
        self.seconds[name] = time.monotonic() - start
        if status not in (0, SKIPPED):
            self.failing[name] = output[-3000:]
            print(f"left out: without a mutant the test '{name}' fails", flush=True)
        if status != 0:
            self.skipped.add(name)

    def patience(self, name):
        """Returns the seconds after which a test counts as hanging: many more than the test takes without a mutant."""
        return 15 + 5 * self.seconds[name]
