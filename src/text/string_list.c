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

static const char *prefix_of(const struct string_list *list)
{
    return list->before ? list->before : "";
}

struct phrase string_list_join(const struct string_list *list, const char *link)
{
    struct phrase phrase = {""};
    size_t used = 0;

    for (int i = 0; i < list->count && used < sizeof phrase.text; i++) {
        char *end = phrase.text + used;
        const size_t room = sizeof phrase.text - used;
        const char *prefix = prefix_of(list), *word = list->words[i];

        if (i > 0 && i + 1 == list->count)
            used += (size_t)snprintf(end, room, " %s %s%s", link, prefix, word);
        else
            used += (size_t)snprintf(end, room, "%s%s%s", i > 0 ? ", " : "", prefix, word);
    }
    return phrase;
}

/* Levenshtein distance: the smallest number of insertions, deletions and replacements that turn a
 * into b. row[j] is the distance between the first i letters of a and the first j of b. */
static int distance(const char *a, const char *b)
{
    const int length = (int)strlen(b);
    int row[LENGTH_MAX + 1];

    for (int j = 0; j <= length; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0]; /* row[j - 1] of the previous i */

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
    int best = length < 4 ? 2 : 3; /* only a word with fewer wrong letters is suggested */

    for (int i = 0; i < list->count && length <= LENGTH_MAX; i++) {
        const char *candidate = list->words[i];
        const int wrong = strlen(candidate) > LENGTH_MAX ? best : distance(word, candidate);

        if (wrong >= best)
            continue;
        best = wrong;
        snprintf(phrase.text, sizeof phrase.text, "; did you mean '%s%s'?", prefix_of(list),
                 candidate);
    }
    return phrase;
}
