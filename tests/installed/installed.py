# SPDX-License-Identifier: MIT
"""Tests the library as other projects use it.

installed.py library SOURCE WORK VERSION CC CXX
    Builds the library below WORK as the subproject of a small project, without optimisation, shared and static,
    and installs both below WORK/place. Then compiles programs with pkg-config and the installed files, and runs
    them: in C and, unless CXX is empty, in C++. Compiles the C program also with CMake, if CMake is installed. Exit
    status 77: a tool is missing.
installed.py example PROGRAM
    Runs a compiled example of src/lib/examples and checks its output. Exit status 77: the example needs a GPU, and
    finds none."""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PREFIX = "opt/smoothimg"
INSTALLED = {
    "include/smoothimg.h",
    "lib/cmake/smoothimg/smoothimg-config-version.cmake",
    "lib/cmake/smoothimg/smoothimg-config.cmake",
    "lib/libsmoothimg.a",
    "lib/libsmoothimg.so",
    "lib/libsmoothimg.so.1",
    "lib/pkgconfig/smoothimg.pc",
    "share/doc/smoothimg/CHANGELOG.md",
    "share/doc/smoothimg/LICENSE",
    "share/doc/smoothimg/README.md",
    "share/doc/smoothimg/SECURITY.md",
    "share/man/man3/smoothimg.3",
}
RESULT = """\
  0   1   4   8  10   8   4   1   0
  0   2   6  12  15  12   6   2   0
  1   2   7  15  18  15   7   2   1
  0   2   6  12  15  12   6   2   0
  0   1   4   8  10   8   4   1   0
"""
NO_DEVICE = 4 # SMOOTHIMG_NO_DEVICE
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(*command, **options):
    """Runs a command that must succeed. Returns its standard output."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def equal(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}\nwanted: {wanted}")


class Place:
    """The installed library, below the folder `work`. Compiles and runs programs that use it."""

    def __init__(self, work):
        self.work = work
        self.prefix = work / "place" / PREFIX
        self.environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(self.prefix / "lib/pkgconfig"),
                            "PKG_CONFIG_SYSROOT_DIR": str(work / "place")}

    def pkg_config(self, *words):
        return run("pkg-config", *words, "smoothimg", env=self.environment).split()

    def program(self, name, compiler, source, *words):
        """Compiles one source in a new folder and runs the program. Returns the program's output."""
        folder = self.work / name
        folder.mkdir()
        copy = shutil.copy(source, folder)
        run(*compiler, *WARNINGS, *self.pkg_config("--cflags"), copy, "-o", folder / name, *words, cwd=folder)
        return run(folder / name, env={**os.environ, "LD_LIBRARY_PATH": str(self.prefix / "lib")})


def configure(work):
    """The build of the subproject must call nvcc if and only if its option asks for CUDA."""
    called = work / "nvcc-called"
    (work / "bin").mkdir()
    nvcc = work / "bin/nvcc"
    nvcc.write_text(f"#!/bin/sh\n: >{shlex.quote(str(called))}\nexit 1\n")
    nvcc.chmod(0o755)
    setup = ["meson", "setup", "--prefix", "/" + PREFIX, "--libdir", "lib", "-Doptimization=0"]
    path = {**os.environ, "PATH": f"{work / 'bin'}:{os.environ['PATH']}"}
    run(*setup, work / "build", work / "consumer", env=path)
    equal("nvcc called by default", called.exists(), False)
    asked = subprocess.run([*setup, "-Dsmoothimg:cuda=enabled", work / "build-cuda", work / "consumer"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=path)
    equal("nvcc called where it is asked for", (asked.returncode != 0, called.exists()), (True, True))


def build(source, work):
    """Builds and installs the library as a subproject. Returns the output of the project's own program."""
    shutil.copytree(HERE / "consumer", work / "consumer")
    shutil.copy(source / "src/lib/examples/smooth.c", work / "consumer")
    (work / "consumer/subprojects").mkdir()
    (work / "consumer/subprojects/smoothimg").symlink_to(source)
    configure(work)
    run("ninja", "-C", work / "build", "-j2")
    run("meson", "install", "-C", work / "build", "--no-rebuild", env={**os.environ, "DESTDIR": str(work / "place")})
    return run(work / "build/smooth")


def check_header(place, version, compilers):
    """smoothimg.h must compile without other headers, and have the project's version."""
    for compiler, language, standard in compilers:
        run(*compiler, *WARNINGS, "-std=" + standard, "-fsyntax-only", *place.pkg_config("--cflags"),
            "-include", "smoothimg.h", "-x", language, "/dev/null")
    header = (place.prefix / "include/smoothimg.h").read_text()
    numbers = [re.search(rf"#define SMOOTHIMG_VERSION_{part} (\d+)", header)[1]
               for part in ("MAJOR", "MINOR", "PATCH")]
    equal("version in smoothimg.h", ".".join(numbers), version)
    equal("version in smoothimg.pc", place.pkg_config("--modversion"), [version])


def check_programs(place, kind, libraries, source, compilers):
    """Runs the example in C, and a test of the header in C++. Programs that are linked with the static library must
    not need the shared library."""
    sources = {"c": source / "src/lib/examples/smooth.c",
               "c++": source / "tests/unit/api/test_api_header.cpp"}
    for compiler, language, standard in compilers:
        name = kind + "_in_" + standard
        found = place.program(name, [*compiler, "-std=" + standard], sources[language], *libraries)
        equal(name, found, RESULT if language == "c" else "")
        needed = re.findall(r"NEEDED.*\[(libsmooth\S+)\]", run("readelf", "-d", place.work / name / name))
        equal("libraries of " + name, needed, ["libsmoothimg.so.1"] if kind == "shared" else [])


def cmake_configures(place, folder, compiler, target, version):
    """Runs CMake, which must find the package by CMAKE_PREFIX_PATH alone. Returns whether CMake succeeded, and its
    output."""
    done = subprocess.run(["cmake", "-S", place.work / "cmake", "-B", folder, f"-DCMAKE_C_COMPILER={';'.join(compiler)}",
                           f"-DCMAKE_PREFIX_PATH={place.prefix}", f"-DTARGET={target}", f"-DVERSION={version}"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout


def check_cmake(place, kind, source, version, compiler):
    """Builds the example with each CMake target. Asks for versions that the package satisfies, and for versions that it
    must refuse."""
    if not shutil.which("cmake"):
        print("cmake is missing: its package is not tried")
        return
    major = int(version.split(".")[0])
    shutil.copytree(HERE / "cmake", place.work / "cmake", dirs_exist_ok=True)
    shutil.copy(source / "src/lib/examples/smooth.c", place.work / "cmake")
    targets = ["smoothimg::smoothimg"] + ["smoothimg::static"] * (kind == "static")
    for target in targets:
        folder = place.work / f"cmake_{kind}_{target[11:]}"
        good, said = cmake_configures(place, folder, compiler, target, version)
        equal(f"cmake, {target}", (good, good or said), (True, True))
        run("cmake", "--build", folder)
        found = run(folder / "smooth", env={**os.environ, "LD_LIBRARY_PATH": ""})
        equal(f"by {target}", found, RESULT)
        needed = re.findall(r"NEEDED.*\[(libsmooth\S+)\]", run("readelf", "-d", folder / "smooth"))
        equal(f"libraries by {target}", needed, ["libsmoothimg.so.1"] if kind == "shared" else [])
    for asked, serves in (("", True), (f"{major}.0", True), (f"{major}.99", False), (f"{major + 1}", False)):
        folder = place.work / f"cmake_{kind}_asked_{asked}"
        equal(f"cmake, version {asked}", cmake_configures(place, folder, compiler, targets[0], asked)[0], serves)


def library(source, work, version, cc, cxx):
    source, work = Path(source), Path(work)
    # Drops ccache, which Meson puts in front of a compiler by itself: CMake takes the first word as the compiler.
    compilers = [([word for word in shlex.split(compiler) if word != "ccache"], language, standard)
                 for compiler, language, standard in
                 ((cc, "c", "c17"), (cxx, "c++", "c++17"), (cxx, "c++", "c++20")) if compiler]
    for tool in ("pkg-config", "meson", "ninja", "readelf"):
        if not shutil.which(tool):
            print(f"{tool} is missing")
            return 77
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    equal("smooth, in the project", build(source, work), RESULT)
    place = Place(work)
    equal("installed", {str(path.relative_to(place.prefix)) for path in place.prefix.rglob("*")
                        if not path.is_dir()}, INSTALLED | {"lib/libsmoothimg.so." + version})
    check_header(place, version, compilers)
    check_programs(place, "shared", place.pkg_config("--libs"), source, compilers)
    check_cmake(place, "shared", source, version, compilers[0][0])
    for path in (place.prefix / "lib").glob("libsmoothimg.so*"):
        path.unlink()
    check_programs(place, "static", place.pkg_config("--static", "--libs"), source, compilers)
    check_cmake(place, "static", source, version, compilers[0][0])
    shutil.rmtree(work)
    return 0


def example(program):
    done = subprocess.run([program], capture_output=True, text=True)
    if f"status {NO_DEVICE}:" in done.stderr:
        print(done.stderr)
        return 77
    equal("result", (done.returncode, done.stdout, done.stderr), (0, RESULT, ""))
    return 0


if __name__ == "__main__":
    modes = {"library": library, "example": example}
    sys.exit(modes[sys.argv[1]](*sys.argv[2:]) if len(sys.argv) > 2 else __doc__)
