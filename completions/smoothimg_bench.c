/* SPDX-License-Identifier: MIT */
#include "bench_options.h"
#include "completions.h"
#include "entries.h"
#include "lab.h"
#include "registry.h"

static struct word_list op_list(void)
{
    struct word_list words = {0};

    for (int op = 0; op < OP_COUNT; op++)
        words_add(&words, op_word((enum op)op));
    return words;
}

/* The rows that this build can run. */
static struct word_list entry_words(void)
{
    struct word_list words = {0};
    struct entry entry;

    for (int i = 0; entry_at(i, &entry); i++)
        if (entry.variant)
            words_add(&words, entry.name);
    return words;
}

/* Those that need a GPU too: --transactions counts them without one. */
static struct word_list group_words(void)
{
    struct word_list words = {0};

    for (int i = 0; lab_row(i); i++)
        words_add(&words, lab_row(i)->group);
    for (int i = 0; lab_absent(i); i++)
        words_add(&words, lab_absent(i));
    return words;
}

static struct word_list picture_words(void)
{
    struct word_list words = {0};

    for (int i = 0; picture_word(i); i++)
        words_add(&words, picture_word(i));
    return words;
}

struct completed completed_program(void)
{
    return (struct completed){
        .name = "smoothimg-bench",
        .table = &bench_option_table,
        .hints = {{"op", op_list()},
                  {"variant", entry_words()},
                  {"against", entry_words()},
                  {"experiment", group_words()},
                  {"image", picture_words()},
                  {"jobs", {{"all"}, 1}}},
    };
}
