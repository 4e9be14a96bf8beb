/* SPDX-License-Identifier: MIT */
#include "completions.h"
#include "options.h"
#include "registry.h"

/* The variants that this build can run. */
static struct word_list variant_words(void)
{
    struct word_list words = {.words = {"auto", "cpu", "gpu"}, .count = 3};

    for (const struct registered *row = registry; row->stem; row++)
        if (row->variant)
            words_add(&words, registered_name(row));
    return words;
}

struct completed completed_program(void)
{
    return (struct completed){
        .name = "smoothimg",
        .table = &option_table,
        .hints = {{"variant", variant_words()}, {"device", {{"all"}, 1}}, {"shard", {{"auto"}, 1}}},
    };
}
