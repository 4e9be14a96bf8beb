/* SPDX-License-Identifier: MIT */
/* usage: make-completions bash|zsh|fish: prints that shell's script. Meson runs it. */
#include "completions.h"

#include <string.h>

static const struct {
    const char *name;
    void (*print)(FILE *stream, const struct completed *program);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

enum completion_kind completion_of(const struct completed *program, const struct option_row *row,
                                   struct word_list *words)
{
    const char *argument = row->argument;
    bool files;

    *words = (struct word_list){0};
    if (!argument)
        return COMPLETE_NOTHING;
    if (strcmp(argument, "DIR") == 0)
        return COMPLETE_FOLDERS;
    files = strcmp(argument, "FILE") == 0 || strcmp(argument, "IMAGE") == 0;
    for (int i = 0; row->words && row->words[i]; i++)
        words_add(words, row->words[i]);
    for (const struct completion_hint *hint = program->hints; hint->option; hint++)
        if (strcmp(hint->option, row->name) == 0)
            for (int i = 0; i < hint->words.count; i++)
                words_add(words, hint->words.words[i]);
    if (words->count > 0)
        return files ? COMPLETE_WORDS_OR_FILES : COMPLETE_WORDS;
    return files ? COMPLETE_FILES : COMPLETE_FREE;
}

void print_quoted(FILE *stream, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\n')
            fputc(' ', stream);
        else if (*text == '\'')
            fputs("'\\''", stream);
        else {
            if (strchr(special, *text))
                fputc('\\', stream);
            fputc(*text, stream);
        }
    }
}

void print_words_spaced(FILE *stream, const struct word_list *words)
{
    for (int i = 0; i < words->count; i++)
        fprintf(stream, "%s%s", i > 0 ? " " : "", words->words[i]);
}

/* A hint for an option that is gone would go unnoticed. */
static bool hints_fit(const struct completed *program)
{
    for (const struct completion_hint *hint = program->hints; hint->option; hint++) {
        const struct option_row *row = program->table->rows;

        while (row->name && strcmp(row->name, hint->option) != 0)
            row++;
        if (!row->name) {
            fprintf(stderr, "make-completions: %s has no option --%s\n", program->name,
                    hint->option);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    const struct completed program = completed_program();

    if (!hints_fit(&program))
        return 1;
    for (size_t i = 0; argc == 2 && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, argv[1]) == 0) {
            shells[i].print(stdout, &program);
            return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
        }
    fputs("usage: make-completions bash|zsh|fish\n", stderr);
    return 2;
}
