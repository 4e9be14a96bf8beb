/* SPDX-License-Identifier: MIT */
#include "src/text/string_list.h"

#include "kernels/common/numbers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_MAX 63 /* longer words are not compared */

void string_list_add(struct string_list *list, const char *word)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->words[i], word) == 0)
            return;
    if (list->count < WORDS_MAX)
        list->words[list->count++] = word;
}

static const char *before(const struct string_list *list)
{
    return list->before ? list->before : "";
}

struct phrase string_list_join(const struct string_list *list, const char *link)
{
    struct phrase phrase = {""};
    size_t used = 0;

    for (int i = 0; i < list->count && used < sizeof phrase.text; i++) {
        const bool last = i > 0 && i + 1 == list->count;

        used += (size_t)snprintf(phrase.text + used, sizeof phrase.text - used, "%s%s%s%s%s",
                                 last    ? " "
                                 : i > 0 ? ", "
                                         : "",
                                 last ? link : "", last ? " " : "", before(list), list->words[i]);
    }
    return phrase;
}

/* Levenshtein distance: the least number of insertions, deletions and replacements. */
static int distance(const char *a, const char *b)
{
    const int length = (int)strlen(b);
    int row[LENGTH_MAX + 1];

    for (int j = 0; j <= length; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];

        row[0] = i;
        for (int j = 1; j <= length; j++) {
            const int replaced = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = (int)min(replaced, 1 + min(row[j], row[j - 1]));
        }
    }
    return row[length];
}

struct phrase string_list_nearest(const struct string_list *list, const char *word)
{
    const size_t length = strlen(word);
    struct phrase phrase = {""};
    int best = length < 4 ? 2 : 3; /* this many wrong letters make another word */

    for (int i = 0; i < list->count && length <= LENGTH_MAX; i++) {
        const char *candidate = list->words[i];

        if (strlen(candidate) > LENGTH_MAX || distance(word, candidate) >= best)
            continue;
        best = distance(word, candidate);
        snprintf(phrase.text, sizeof phrase.text, "; did you mean '%s%s'?", before(list),
                 candidate);
    }
    return phrase;
}
