/* SPDX-License-Identifier: MIT */
/* For fish: a command for each option. Files are what it offers where nothing else is said. */
#include "completions.h"

static void print_argument(FILE *stream, enum completion_kind kind, const struct word_list *words)
{
    if (kind == COMPLETE_NOTHING)
        return;
    if (kind == COMPLETE_FILES || kind == COMPLETE_WORDS_OR_FILES)
        fputs(" -r -F", stream);
    else
        fputs(" -x", stream);
    if (kind == COMPLETE_FOLDERS)
        fputs(" -a '(__fish_complete_directories)'", stream);
    if (words->count > 0) {
        fputs(" -a '", stream);
        print_words_spaced(stream, words);
        fputc('\'', stream);
    }
}

void print_fish(FILE *stream, const struct completed *program)
{
    fprintf(stream, "# fish completion for %s, made from its table of options\n\n", program->name);
    for (const struct option_row *row = program->table->rows; row->name; row++) {
        struct word_list words;
        const enum completion_kind kind = completion_of(program, row, &words);

        fprintf(stream, "complete -c %s", program->name);
        if (row->letter)
            fprintf(stream, " -s %c", row->letter);
        fprintf(stream, " -l %s", row->name);
        print_argument(stream, kind, &words);
        fputs(" -d '", stream);
        /* Within '...' fish knows \' and \\ alone. */
        for (const char *c = row->help; *c; c++) {
            if (*c == '\'' || *c == '\\')
                fputc('\\', stream);
            fputc(*c == '\n' ? ' ' : *c, stream);
        }
        fputs("'\n", stream);
    }
}
