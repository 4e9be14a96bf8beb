# SPDX-License-Identifier: MIT
"""What bash, zsh and fish offer to complete a command line with.

usage: completions.py PROGRAM SHELL FOLDER

FOLDER has the scripts, for smoothimg and for smoothimg-bench, which lies beside PROGRAM. An exit
status of 77: SHELL (bash, zsh or fish), or the package bash-completion, is not installed.
"""
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PATIENCE = 120
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"

# bash-completion finds the script by the command's name, and calls the function that it registers.
BASH = f"""
. {BASH_COMPLETION}
BASH_COMPLETION_USER_DIR=$1 COMP_LINE=$2 COMP_POINT=${{#2}} COMP_TYPE=9 COMP_KEY=9
shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_completion_loader "$1"
registered=$(complete -p "$1") || exit 3
[[ $registered =~ -F\\ ([^ ]+) ]] || exit 4
"${{BASH_REMATCH[1]}}" "$1" "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""

# zsh completes only in its line editor, on a terminal: this compadd also writes what it offers to
# the file $2. ask_zsh replaces $1, the folder of the scripts, and $2.
ZSH = """
fpath=($1 $fpath)
autoload -Uz compinit && compinit -u -D
zstyle ':completion:*' insert-tab false
bindkey '^I' complete-word
compadd() {
    local -a offered
    local passing=${argv[(I)-[OAD]]}
    if (( passing )); then builtin compadd "$@"; return; fi
    builtin compadd -O offered "$@"
    print -rl -- $offered >> $2
    builtin compadd "$@"
}
comppostfuncs=(leave)
leave() { print done >> $2; exit }
"""


# ask_SHELL: returns what the shell offers for the line, and its error output, "" if all went well.

def ask_bash(scripts, line, folder):
    words = re.findall(r"=|[^ =]+", line) + ([""] if line[-1] in " =" else [])
    ended = subprocess.run(["bash", "--norc", "-c", BASH, "bash", scripts.parent, line, *words],
                           cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    return ended.stdout.split("\n")[:-1], ended.stderr


def ask_fish(scripts, line, folder):
    code = f"set -g fish_complete_path {shlex.quote(str(scripts))}; complete -C {shlex.quote(line)}"
    ended = subprocess.run(["fish", "--no-config", "-c", code], cwd=folder, capture_output=True,
                           text=True, timeout=PATIENCE, env={**os.environ, "HOME": str(folder)})
    return [offer.split("\t")[0] for offer in ended.stdout.splitlines()], ended.stderr


def ask_zsh(scripts, line, folder):
    with tempfile.TemporaryDirectory() as temporary:
        setup, offers = Path(temporary, "setup"), Path(temporary, "offers")
        setup.write_text(ZSH.replace("$1", str(scripts)).replace("$2", str(offers)))
        ours, theirs = pty.openpty()
        with subprocess.Popen(["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs,
                              cwd=folder, start_new_session=True,
                              env={**os.environ, "TERM": "dumb", "PS1": ""}) as shell:
            os.close(theirs)
            os.write(ours, f". {setup}\n{line}\t".encode())
            shown = b""
            while True:
                try:
                    read = os.read(ours, 4096)
                except OSError:  # the shell is gone
                    break
                if not read:
                    break
                shown += read
            shell.wait(PATIENCE)
        os.close(ours)
        found = offers.read_text().splitlines() if offers.exists() else []
    return found[:-1], "" if found[-1:] == ["done"] else shown.decode(errors="replace")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


ASK = {"bash": ask_bash, "zsh": ask_zsh, "fish": ask_fish}


class Shell:
    def __init__(self, name, scripts, folder):
        self.name, self.scripts, self.folder = name, scripts, folder
        self.checks = self.faults = 0

    def offers(self, line):
        """The words offered, without the option before '=' and the slash or space after, which only
        some shells add."""
        found, complaint = ASK[self.name](self.scripts, line, self.folder)
        self.check(not complaint, f"{line!r}: {complaint}")
        before = re.match(r"--\S+?=", line.split(" ")[-1])
        prefix = before[0] if before else ""
        return {word.rstrip("/ ").removeprefix(prefix) for word in found if word}

    def check(self, good, what):
        self.checks += 1
        self.faults += not good
        if not good:
            print("wrong:", what)

    def check_offers(self, line, wanted):
        found = self.offers(line)
        self.check(found == set(wanted), f"{line!r}: offers {sorted(found)}, not {sorted(wanted)}")

    def check_options(self, program):
        """Every long option of --help, and no other."""
        text = output_of(program, "--help")
        wanted = set(re.findall(r"^  (?:-\w, |    )(--[\w-]+)", text, re.M))
        found = {word for word in self.offers(f"{program.name} --") if word.startswith("--")}
        self.check(len(wanted) > 20 and found == wanted,
                   f"{program.name}: offered and in --help differ: {sorted(found ^ wanted)}")


def variants(program):
    """Those of this build, by --list-variants."""
    rows = output_of(program, "--list-variants").splitlines()[1:]
    return {row.split()[1] for row in rows if "not in this build" not in row}


def check_all(shell, program):
    bench = program.with_name("smoothimg-bench")
    for name in ("flat.pgm", "two.pgm", "chart.png"):
        (shell.folder / name).write_bytes(b"")
    (shell.folder / "folder").mkdir()
    everything = {"flat.pgm", "two.pgm", "chart.png", "folder"}

    shell.check_options(program)
    shell.check_options(bench)
    shell.check_offers("smoothimg --ed", {"--edge"})
    shell.check_offers("smoothimg --edge r", {"reflect"})
    shell.check_offers("smoothimg --edge ", {"clamp", "reflect", "mirror", "wrap", "zero"})
    shell.check_offers("smoothimg --edge=mi", {"mirror"})
    shell.check_offers("smoothimg --halo 4 --format pn", {"png", "pnm"})
    shell.check_offers("smoothimg --variant ", {"auto", "cpu", "gpu"} | variants(program))
    shell.check_offers("smoothimg --op transpose --op rev", {"reverse"})
    shell.check_offers("smoothimg -o ", everything)
    shell.check_offers("smoothimg --output ch", {"chart.png"})
    shell.check_offers("smoothimg -O ", {"folder"})
    shell.check_offers("smoothimg --output-dir ", {"folder"})
    shell.check_offers("smoothimg --files-from ", everything)
    shell.check_offers("smoothimg --halo ", set())
    shell.check_offers("smoothimg fl", {"flat.pgm"})
    shell.check_offers("smoothimg --halo 4 flat.pgm ", everything)
    shell.check_offers("smoothimg-bench --suite m", {"memory"})
    shell.check_offers("smoothimg-bench --op tr", {"transpose"})
    shell.check_offers("smoothimg-bench --experiment ge", {"gemm", "gemv"})
    shell.check_offers("smoothimg-bench --image ch", {"chequer", "chart.png"})
    shell.check_offers("smoothimg-bench ch", {"chart.png"})


def main():
    if len(sys.argv) != 4 or sys.argv[2] not in ASK:
        sys.exit(__doc__)
    program, name, scripts = sys.argv[1:]
    # fish completes no command that it cannot find.
    os.environ["PATH"] = f"{Path(program).resolve().parent}:{os.environ['PATH']}"
    if not shutil.which(name) or name == "bash" and not Path(BASH_COMPLETION).exists():
        print(f"{name} or its package of completions is not installed: nothing was checked")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "here")
        folder.mkdir()
        shell = Shell(name, Path(scripts).resolve(), folder)
        check_all(shell, Path(program).resolve())
    print(f"{shell.checks} checks, {shell.faults} wrong")
    sys.exit(1 if shell.faults else 0)


if __name__ == "__main__":
    main()
