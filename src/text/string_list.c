/* SPDX-License-Identifier: MIT */
#include "src/text/string_list.h"

#include "kernels/common/numbers.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_MAX 63 /* words with more letters are not compared */

void string_list_add(struct string_list *list, const char *word)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->words[i], word) == 0)
            return;
    if (list->count < WORDS_MAX)
        list->words[list->count++] = word;
}

void phrase_add(struct phrase *phrase, const char *format, ...)
{
    const size_t used = strlen(phrase->text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(phrase->text + used, sizeof phrase->text - used, format, arguments);
    va_end(arguments);
}

static struct phrase join(const struct string_list *list, const char *link, const char *quote)
{
    const char *before = list->before ? list->before : "";
    struct phrase phrase = {""};

    for (int i = 0; i < list->count; i++) {
        if (i > 0 && i + 1 == list->count)
            phrase_add(&phrase, " %s ", link);
        else if (i > 0)
            phrase_add(&phrase, ", ");
        phrase_add(&phrase, "%s%s%s%s", quote, before, list->words[i], quote);
    }
    return phrase;
}

struct phrase string_list_join(const struct string_list *list, const char *link)
{
    return join(list, link, "");
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

/* Returns how many wrong letters `word` may have if `candidate` is to be suggested instead. */
static int tolerance(const char *word, const char *candidate)
{
    return strlen(word) < 4 || strlen(candidate) < 4 ? 1 : 2;
}

/* Returns the distance between the words, or INT_MAX if the distance is above the tolerance or a
 * word is too long. */
static int wrong_letters(const char *word, const char *candidate)
{
    int wrong;

    if (strlen(word) > LENGTH_MAX || strlen(candidate) > LENGTH_MAX)
        return INT_MAX;
    wrong = distance(word, candidate);
    return wrong <= tolerance(word, candidate) ? wrong : INT_MAX;
}

/* True if `word` is the name that the library or the Python package uses for what the program calls
 * `candidate`. */
static bool is_name_elsewhere(const char *word, const char *candidate)
{
    static const char *const pairs[][2] = {
        {"radius", "halo"},   {"mode", "edge"},     {"threads", "jobs"},
        {"nearest", "clamp"}, {"constant", "zero"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(pairs[i][0], word) == 0 && strcmp(pairs[i][1], candidate) == 0)
            return true;
    return false;
}

struct phrase string_list_nearest(const struct string_list *list, const char *word)
{
    struct string_list nearest = {.before = list->before};
    int best = INT_MAX - 1;
    struct phrase phrase = {""};

    for (int i = 0; i < list->count; i++) {
        const int wrong =
            is_name_elsewhere(word, list->words[i]) ? 0 : wrong_letters(word, list->words[i]);

        if (wrong < best)
            nearest.count = 0;
        if (wrong <= best) {
            string_list_add(&nearest, list->words[i]);
            best = wrong;
        }
    }
    if (nearest.count > 0)
        snprintf(phrase.text, sizeof phrase.text, "; did you mean %.480s?",
                 join(&nearest, "or", "'").text);
    return phrase;
}
