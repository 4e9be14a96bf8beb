# SPDX-License-Identifier: MIT
"""Compares the library's manual with its header, and runs the manual's examples.

usage: library_manual.py agrees HEADER MANUAL         compares functions, types, members, constants
       library_manual.py example NUMBER MANUAL        prints the source of an example; the first is 1
       library_manual.py run NUMBER MANUAL PROGRAM    checks that the compiled example prints what the manual says
"""
import re
import subprocess
import sys
from pathlib import Path


def of_header(path):
    """Returns two sets from the header: prototypes as `type name(parameters)`; and types, constants, and members as
    `struct.member type`."""
    text = re.sub(r"/\*.*?\*/", " ", Path(path).read_text(), flags=re.DOTALL)
    prototypes = set()
    for one in re.findall(r"^SMOOTHIMG_API ([^;#]+);", text, re.MULTILINE):
        prototypes.add(" ".join(one.split()).replace("* ", "*").replace("( ", "("))
    names = set(re.findall(r"#define (SMOOTHIMG_(?:VERSION|MAX|NO)_\w+)", text))
    for kind, name, body in re.findall(r"^(enum|struct) (\w+) \{(.*?)\};", text, re.M | re.S):
        names.add(f"{kind} {name}")
        for line in (body.split(",") if kind == "enum" else body.split(";")):
            words = line.replace("const ", "").replace("*", " * ").replace(",", " , ").split()
            if kind == "enum":
                names |= set(words[:1])
            elif words: # the line declares members: a type, then their names
                first = 2 if words[0] in ("enum", "struct") else 1
                kind_of = " ".join(words[:first] + ["*"] * ("*" in words))
                names |= {f"{name}.{word} {kind_of}" for word in words[first:] if word not in "*,"}
    return prototypes, names


def prototypes_of_manual(text):
    found = set()
    for result, name, arguments in re.findall(r"^\.Ft (.*)\n\.Fo (\w+)\n((?:\.Fa .*\n)+)\.Fc", text, re.M):
        arguments = [line[len(".Fa "):].strip('"') for line in arguments.splitlines()]
        found.add(f"{result} {name}({', '.join(arguments)})".replace("* ", "*"))
    return found


def of_manual(path):
    """Returns the two sets of of_header(), from the manual. A member belongs to the struct of the last line that begins
    with ".Vt struct"."""
    text = Path(path).read_text()
    names, owner = set(), None
    for line in text.splitlines():
        if line.startswith(".Vt struct "):
            owner = line.split()[2]
            names.add(f"struct {owner}")
        names |= {f"enum {name}" for name in re.findall(r"Vt enum (\w+)", line)}
        names |= set(re.findall(r"\bDv (SMOOTHIMG_\w+)", line))
        member = re.match(r"\.It Vt (.+) Va (.+)", line)
        if member:
            names |= {f"{owner}.{word} " + member[1].strip('"') for word in member[2].split(" , ")}
    names |= {f"enum {name}" for name in re.findall(r"^\.Ft enum (\w+)$", text, re.M)}
    return prototypes_of_manual(text), names


def agrees(header, manual):
    wrong = 0
    for what, ours, theirs in zip(("prototypes", "names"), of_header(header), of_manual(manual)):
        for one in sorted(ours - theirs):
            print(f"the manual lacks {one}")
        for one in sorted(theirs - ours):
            print(f"the header lacks {one}")
        print(f"{what}: {len(ours & theirs)} agree")
        wrong += len(ours ^ theirs) + (not ours)
    return wrong


def examples(manual):
    """Returns (source, expected output or None) for each display that begins with an #include."""
    text = Path(manual).read_text().replace(r"\e", "\\").replace(r"\(dq", '"').replace(r"\-", "-")
    displays = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed\n(\.Pp\nIt prints\n\.Bd.*?\n(.*?)^\.Ed)?", text, re.M | re.S)
    return [(source, printed or None) for source, _, printed in displays
            if source.startswith("#include")]


def example(number, manual):
    print("/* An example of smoothimg.3. */\n" + examples(manual)[int(number) - 1][0], end="")
    return 0


def run(number, manual, program):
    wanted = examples(manual)[int(number) - 1][1]
    found = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    print(found)
    return wanted is None or found.split() != wanted.split()


def main():
    modes = {"agrees": (agrees, 2), "example": (example, 2), "run": (run, 3)}
    mode, count = modes.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if not mode or len(sys.argv) != 2 + count:
        sys.exit(__doc__)
    sys.exit(1 if mode(*sys.argv[2:]) else 0)


if __name__ == "__main__":
    main()
