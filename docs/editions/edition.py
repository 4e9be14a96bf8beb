#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""edition.py OP NAME ROOT OUTPUT DEPFILE: writes a variant for GPUs, such as smooth naive, as one file that
stands alone: the variant, the code of kernels/ that it uses, and a main that compares its results
with plain loops.

The file has copies of the code, without what the variant does not use. Its head says how to build it.
"""
import re
import sys
from pathlib import Path

HEAD = """/* SPDX-License-Identifier: MIT */
/* {op} {name}, in one file: made by docs/editions/edition.py from kernels/{op}/{name}.cu
 * and the files that it includes. The kernel comes after the code that it uses, below the line
 * "---- kernels/{op}/{name}.cu ----"; its test is at the end.
 * Build it for a GPU (sm_90 is Hopper), or without one in the project's folder, and run it:
 *
 *     nvcc -std=c++20 -arch=sm_90 -diag-suppress 177 {op}_{name}.cu -o {op}_{name}
 *
 *     g++ -std=c++20 -O1 -w -Isrc/emulator/include -x c++ {op}_{name}.cu -x none \\
 *         build/src/emulator/libemulator.a -pthread -o {op}_{name}
 *
 *     ./{op}_{name} [WIDTH HEIGHT [HALO]] */
"""
# Preprocessor conditions whose value is known: the compiler compiles C++ and has 128-bit integers.
KNOWN = {"#ifdef __cplusplus": True, "#ifndef __cplusplus /* CUDA has them */": False,
         "#if (defined __SIZEOF_INT128__ || defined __CUDACC__) && !defined U128_IN_WORDS": True}
WORDS = r"[A-Za-z_]\w*"


def without_comments(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', " ", text, flags=re.S)


def decide(lines):
    """Resolves KNOWN conditions and drops the lines that they exclude."""
    kept, open_ones = [], []  # open_ones: for each #if without its #endif so far, (is it in KNOWN, are its lines kept)
    for line in lines:
        if line.startswith("#if"):
            open_ones.append([line in KNOWN, KNOWN.get(line, True)])
            drop = line in KNOWN
        elif line.startswith(("#else", "#endif")):
            drop = open_ones[-1][0]
            if line.startswith("#else") and drop:
                open_ones[-1][1] = not open_ones[-1][1]
            if line.startswith("#endif"):
                open_ones.pop()
        else:
            drop = False
        if not drop and all(counts for _, counts in open_ones):
            kept.append(line)
    return kept


def own_lines(path):
    """Returns the lines of a file without its licence, its include guard, clang-format's switches, and what KNOWN
    conditions exclude."""
    lines = path.read_text().splitlines()
    lines = [line for line in lines if not re.match(r"/\* SPDX|(//|/\*) clang-format o", line)]
    guard = next((i for i, line in enumerate(lines) if re.match(r"#ifndef SMOOTHIMG_\w+_(H|CUH)$", line)), None)
    if guard is not None:
        last = max(i for i, line in enumerate(lines) if line == "#endif")
        lines = lines[:guard] + lines[guard + 2:last] + lines[last + 1:]
    return decide(lines)


def gather(path, root, seen, system):
    """Returns (path, piece) for the pieces (see split) of a file and of the files that it includes, in the order in
    which a compiler reads them."""
    if path in seen:
        return []
    seen.add(path)
    pieces, rest = [], []
    for line in own_lines(root / path):
        included = re.match(r'#include (?:"(.*?)"|(<.*>))', line)
        if not included:
            rest.append(line)
        elif included[1]:
            pieces += gather(included[1], root, seen, system)
        elif included[2] not in system:
            system.append(included[2])
    return pieces + [(path, piece) for piece in split(rest)]


def split(lines):
    """Yields the pieces of a source, such as a function with its comment: blank lines outside of braces and of #if
    separate them."""
    piece, depth = [], 0
    for line in [*lines, ""]:
        if not line and depth == 0:
            if piece:
                yield "\n".join(piece)
            piece = []
            continue
        piece.append(line)
        text = without_comments("\n".join(piece))
        depth = text.count("{") - text.count("}") + text.count("/*")
        depth += len(re.findall(r"^#if", text, re.M)) - len(re.findall(r"^#endif", text, re.M))


def defined(piece):
    """Returns the names that a piece defines."""
    text = without_comments(piece)
    names = set(re.findall(rf"^#define ({WORDS})", text, re.M))
    text = re.sub(r"^#(?:\\\n|[^\n])*", "", text, flags=re.M)
    names |= set(re.findall(rf"\b(?:struct|enum|class|union) ({WORDS})\s*(?:[:{{]|$)", text))
    for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", text, re.S):
        names |= set(re.findall(rf"({WORDS})\s*(?:=[^,]*)?(?:,|$)", body))
    names |= set(re.findall(rf"\busing ({WORDS}) =", text)) | set(re.findall(rf"\btypedef .*?({WORDS});", text))
    text = re.sub(r"\btemplate <[^{]*?>\s*(?=using|struct|class|static|__|typedef|inline|[a-z])", " ", text)
    text = re.sub(r"__launch_bounds__\s*\([^)]*\)|__align__\(\d+\)", " ", text)
    top, depth = "", 0
    for letter in text:
        depth -= letter in "})"
        if depth == 0:
            top += letter
        depth += letter in "{("
    names |= set(re.findall(rf"({WORDS})(?:<[^>]*>)?\s*\(", top)) | set(re.findall(rf"({WORDS})\s*(?:\[\])?\s*=", top))
    return names


def reached(pieces, main):
    """Returns indices of the pieces that main needs, directly or through other pieces."""
    words = set(re.findall(WORDS, without_comments(main)))
    needed, grown = set(), True
    while grown:
        grown = False
        for i, (_, piece) in enumerate(pieces):
            if i not in needed and defined(piece) & words:
                needed.add(i)
                words |= set(re.findall(WORDS, without_comments(piece)))
                grown = True
    return needed


def is_comment(piece):
    return not without_comments(piece).strip()


def edition(op, name, root, seen):
    """Returns the text of the edition. Adds the files that it is made from to `seen`."""
    system = []
    pieces = gather(f"kernels/{op}/{name}.cu", root, seen, system)
    main = ""
    for part in (f"{op}.cuh", "main.cuh"):
        seen.add(f"docs/editions/{part}")
        for line in own_lines(root / "docs/editions" / part):
            if line.startswith("#include"):
                system += [line.split()[1]] if line.split()[1] not in system else []
            else:
                main += line + "\n"
    needed = reached(pieces, main + " LAUNCH")
    files = {pieces[i][0] for i in needed}
    text, last = HEAD.format(op=op, name=name) + "\n".join("#include " + each for each in system) + "\n", None
    for i, (path, piece) in enumerate(pieces):
        if i in needed or (is_comment(piece) and path in files):
            if path != last:
                text += f"\n/* ---- {path} ---- */\n"
            text += "\n" + piece + "\n"
            last = path
    return text + "\n/* ---- its test ---- */\n\n" + main.strip() + "\n"


def main(op, name, root, output, depfile):
    seen = set()
    Path(output).write_text(edition(op, name, Path(root), seen))
    Path(depfile).write_text(f"{output}: {' '.join(sorted(f'{root}/{path}' for path in seen))}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
