# SPDX-License-Identifier: MIT
"""Prints the script by which a shell completes a program's command line.

usage: completions.py SHELL PROGRAM HELP [LIST]...

SHELL is bash, zsh or fish. HELP is a file with what `PROGRAM --help` prints: the options, the names of their arguments
and the words that an argument may be. A LIST is a file with a table that PROGRAM prints; one of its columns has more
such words (see LISTS). Meson runs this during the build, so that nobody keeps a list of options by hand."""
import re
import sys
from collections import namedtuple
from pathlib import Path

# `kind` is what a shell offers for the argument: None (there is no argument), "free" (nothing to offer),
# "words", "files", "folders", "words or files".
Option = namedtuple("Option", "letter name argument help kind words")

# Words that an argument may be. The help names them only within a sentence, and sentences cannot be parsed.
HINTS = {
    "smoothimg": {"variant": "auto cpu gpu", "device": "emulated", "jobs": "all"},
    "smoothimg-bench": {"op": "smooth transpose reverse", "image": "noise chequer photo", "jobs": "all"},
}
# The tables that each program prints: the heading of the column with the words, and the options that take the words.
LISTS = {
    "smoothimg": [("variant", ["variant"])],
    "smoothimg-bench": [("row", ["variant", "against"]), ("group", ["experiment"])],
}

OPTION = re.compile(r"  (?:-(\w), |    )--([\w-]+)(?: ([A-Z]+))?(?:  +(\S.*))?")
WORDS = re.compile(r"\w+(?: \(default\))?(?:, \w+)* and \w+")
# Matches a list of words that continues in the next line after a comma.
CONTINUED = re.compile(r"(\n {20,}\w+(?: \(default\))?(?:, \w+)*,)\n +")


def options_of(program, text, lists):
    """Returns the options in a help text. `lists` are the texts of the tables, in the order of LISTS."""
    offered = {name: words.split() for name, words in HINTS[program].items()}
    for (column, names), table in zip(LISTS[program], lists):
        for name in names:
            offered[name] = offered.get(name, []) + words_of(table, column)
    found = []
    for line in CONTINUED.sub(r"\1 ", text).splitlines():
        option = OPTION.fullmatch(line)
        if option:
            found.append([*option.groups(default=""), []])
        elif not found or not line.startswith(" " * 20):
            continue
        elif WORDS.fullmatch(line.strip()):
            found[-1][4] = re.findall(r"\w+(?!\w|\))", line.replace(" and ", ", "))
        else:
            found[-1][3] = f"{found[-1][3]} {line.strip()}".strip()
    for name in HINTS[program]:
        texts = [help_ for _, each, _, help_, _ in found if each == name]
        if not texts or not all(word in texts[0] for word in HINTS[program][name].split()):
            sys.exit(f"completions.py: the help of {program} --{name} does not have: {HINTS[program][name]}")
    return [option_of(*each[:4], each[4] + offered.get(each[1], [])) for each in found]


def words_of(table, column):
    """Returns the words of a column, each once. For all columns but the first, skips rows "(not in this build)"."""
    heading, *rows = table.splitlines()
    place = heading.split().index(column)
    rows = [row for row in rows if row[:1].strip() and (place == 0 or "(not in this build)" not in row)]
    return list(dict.fromkeys(row.split()[place] for row in rows))


def option_of(letter, name, argument, text, words):
    words = list(dict.fromkeys(words))
    files = argument in ("FILE", "IMAGE")
    kind = (None if not argument else "folders" if argument == "DIR" else
            "words or files" if words and files else "words" if words else "files" if files else "free")
    return Option(letter, name, argument, text, kind, " ".join(words))


# --- bash, with the functions of the package bash-completion, which loads the script

BASH = """\
# bash completion for {program}, made from its --help

# shellcheck shell=bash disable=SC2034 # what _init_completion sets
_{program}()
{{
    local cur prev words cword split
    _init_completion -s || return # -s: --option=argument is two words

    case $prev in
{cases}    esac
    $split && return

    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '
{names}            ' -- "$cur")
        return
    fi
    _filedir
}} &&
    complete -F _{program} {program}
"""


def bash(program, options):
    cases = names = ""
    for option in options:
        forms = [f"-{option.letter}"] * bool(option.letter) + [f"--{option.name}"]
        names += "".join(f"            {form}\n" for form in forms)
        if not option.kind:
            continue
        cases += f"    {' | '.join(forms)})\n"
        if option.kind == "folders":
            cases += "        _filedir -d\n"
        if "files" in option.kind:
            cases += "        _filedir\n"
        if option.words:
            cases += ("        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "
                      f"'{option.words}' -- \"$cur\")\n")
        cases += "        return\n        ;;\n"
    return BASH.format(program=program, cases=cases, names=names)


# --- zsh, which finds the script by its name in $fpath

ZSH_ACTIONS = {
    "free": "",
    "words": "({words})",
    "words or files": r'_alternative "words\:word\:({words})" "files\:file\:_files"',
    "files": "_files",
    "folders": "_path_files -/",  # _files -/ offers files where no folder matches
}


def zsh(program, options):
    """Returns the script. A row is a specification for _arguments: '*' marks an option that may be repeated. For
    another option that has a letter, (...) lists both of its names: after one of them, zsh offers neither again."""
    rows = ""
    for option in options:
        plus, equals = ("+", "=") if option.kind else ("", "")
        forms = f"--{option.name}{equals}"
        if option.letter:
            forms = f"{{-{option.letter}{plus},{forms}}}"
        if "may be repeated" in option.help or option.argument == "LIST":
            forms = "'*'" + forms
        elif option.letter:
            forms = f"'(-{option.letter} --{option.name})'{forms}"
        text = re.sub(r"([][\\])", r"\\\1", option.help).replace("'", r"'\''")
        action = f":{option.argument}:{ZSH_ACTIONS[option.kind]}" if option.kind else ""
        rows += f"    {forms}'[{text}]{action.format(words=option.words)}' \\\n"
    return (f"#compdef {program}\n# zsh completion for {program}, made from its --help\n\n"
            f"_arguments -s -S \\\n{rows}    '*:file:_files'\n")


# --- fish: one `complete` command for each option; for operands fish offers files by itself

def fish(program, options):
    rows = f"# fish completion for {program}, made from its --help\n\n"
    for option in options:
        rows += f"complete -c {program}" + f" -s {option.letter}" * bool(option.letter) + f" -l {option.name}"
        if option.kind:
            rows += " -r -F" if "files" in option.kind else " -x"
        if option.kind == "folders":
            rows += " -a '(__fish_complete_directories)'"
        if option.words:
            rows += f" -a '{option.words}'"
        rows += " -d '" + re.sub(r"(['\\])", r"\\\1", option.help) + "'\n"
    return rows


def main(shell, program, help_, *lists):
    options = options_of(program, Path(help_).read_text(), [Path(each).read_text() for each in lists])
    sys.stdout.write({"bash": bash, "zsh": zsh, "fish": fish}[shell](program, options))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
