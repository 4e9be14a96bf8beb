/* SPDX-License-Identifier: MIT */
/* For bash, with the functions of the package bash-completion, which loads the script. */
#include "completions.h"

/* A branch of the `case` on the word before: what its argument may be. */
static void print_branch(FILE *stream, const struct completed *program,
                         const struct option_row *row)
{
    struct word_list words;
    const enum completion_kind kind = completion_of(program, row, &words);

    if (kind == COMPLETE_NOTHING)
        return;
    fputs("    ", stream);
    if (row->letter)
        fprintf(stream, "-%c | ", row->letter);
    fprintf(stream, "--%s)\n", row->name);
    if (kind == COMPLETE_FOLDERS)
        fputs("        _filedir -d\n", stream);
    if (kind == COMPLETE_FILES || kind == COMPLETE_WORDS_OR_FILES)
        fputs("        _filedir\n", stream);
    if (words.count > 0) {
        fputs("        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '", stream);
        print_words_spaced(stream, &words);
        fputs("' -- \"$cur\")\n", stream);
    }
    fputs("        return\n        ;;\n", stream);
}

static void print_options(FILE *stream, const struct option_row *rows)
{
    for (const struct option_row *row = rows; row->name; row++) {
        if (row->letter)
            fprintf(stream, "            -%c\n", row->letter);
        fprintf(stream, "            --%s\n", row->name);
    }
}

void print_bash(FILE *stream, const struct completed *program)
{
    fprintf(stream,
            "# bash completion for %s, made from its table of options\n"
            "\n"
            "# shellcheck shell=bash disable=SC2034 # what _init_completion sets\n"
            "_%s()\n"
            "{\n"
            "    local cur prev words cword split\n"
            "    _init_completion -s || return # -s: --option=argument is two words\n"
            "\n"
            "    case $prev in\n",
            program->name, program->name);
    for (const struct option_row *row = program->table->rows; row->name; row++)
        print_branch(stream, program, row);
    fputs("    esac\n"
          "    $split && return\n"
          "\n"
          "    if [[ $cur == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '\n",
          stream);
    print_options(stream, program->table->rows);
    fprintf(stream,
            "            ' -- \"$cur\")\n"
            "        return\n"
            "    fi\n"
            "    _filedir\n"
            "} &&\n"
            "    complete -F _%s %s\n",
            program->name, program->name);
}
