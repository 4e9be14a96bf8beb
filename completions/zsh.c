/* SPDX-License-Identifier: MIT */
/* For zsh, which finds the script by its name in $fpath. */
#include "completions.h"

static void print_action(FILE *stream, enum completion_kind kind, const struct word_list *words)
{
    switch (kind) {
    case COMPLETE_NOTHING:
    case COMPLETE_FREE:
        break;
    case COMPLETE_WORDS:
        fputc('(', stream);
        print_words_spaced(stream, words);
        fputc(')', stream);
        break;
    case COMPLETE_WORDS_OR_FILES:
        fputs("_alternative \"words\\:word\\:(", stream);
        print_words_spaced(stream, words);
        fputs(")\" \"files\\:file\\:_files\"", stream);
        break;
    case COMPLETE_FILES:
        fputs("_files", stream);
        break;
    case COMPLETE_FOLDERS:
        fputs("_files -/", stream);
        break;
    }
}

/* A row is a specification for _arguments. One of the program's own may be repeated; others are not
 * offered twice. */
static void print_row(FILE *stream, const struct completed *program, const struct option_row *row)
{
    struct word_list words;
    const enum completion_kind kind = completion_of(program, row, &words);
    const bool takes = kind != COMPLETE_NOTHING;

    fputs("    ", stream);
    if (row->kind == OPTION_OWN)
        fputs("'*'", stream);
    else if (row->letter)
        fprintf(stream, "'(-%c --%s)'", row->letter, row->name);
    if (row->letter)
        fprintf(stream, "{-%c%s,--%s%s}", row->letter, takes ? "+" : "", row->name,
                takes ? "=" : "");
    else
        fprintf(stream, "--%s%s", row->name, takes ? "=" : "");
    fputs("'[", stream);
    print_quoted(stream, row->help, "[]\\");
    fputc(']', stream);
    if (takes) {
        fprintf(stream, ":%s:", row->argument);
        print_action(stream, kind, &words);
    }
    fputs("' \\\n", stream);
}

void print_zsh(FILE *stream, const struct completed *program)
{
    fprintf(stream,
            "#compdef %s\n"
            "# zsh completion for %s, made from its table of options\n"
            "\n"
            "_arguments -s -S \\\n",
            program->name, program->name);
    for (const struct option_row *row = program->table->rows; row->name; row++)
        print_row(stream, program, row);
    fputs("    '*:file:_files'\n", stream);
}
