/* SPDX-License-Identifier: MIT */
#include "src/files/codec/npy/dictionary.h"

#include <stdio.h>
#include <string.h>

/* The text that is left. */
struct cursor {
    const char *at, *end;
};

static char next_char(const struct cursor *cursor)
{
    return cursor->at < cursor->end ? *cursor->at : '\0';
}

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && memchr(" \t\n\r", *cursor->at, 4))
        cursor->at++;
}

/* Steps over white space and these characters, if they follow. */
static bool take(struct cursor *cursor, const char *word)
{
    const size_t length = strlen(word);

    skip_space(cursor);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

/* A string in single or double quotes, without escapes, of printable ASCII. */
static bool take_string(struct cursor *cursor, char *string, size_t room)
{
    const char quote = take(cursor, "'") ? '\'' : take(cursor, "\"") ? '"' : '\0';
    const char *begin = cursor->at, *end;

    end = quote ? memchr(begin, quote, (size_t)(cursor->end - begin)) : NULL;
    for (const char *at = begin; end && at < end; at++)
        if (*at < ' ' || *at > '~')
            end = NULL;
    if (!end)
        return false;
    snprintf(string, room, "%.*s", (int)(end - begin), begin);
    cursor->at = end + 1;
    return true;
}

/* A whole number; Python 2 wrote an L after it. */
static bool take_number(struct cursor *cursor, int64_t *number)
{
    const char *begin;

    skip_space(cursor);
    begin = cursor->at;
    *number = 0;
    for (; next_char(cursor) >= '0' && next_char(cursor) <= '9'; cursor->at++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, *cursor->at - '0', number))
            *number = INT64_MAX / 10; /* stays too large for any image */
    if (cursor->at == begin)
        return false;
    if (next_char(cursor) == 'L')
        cursor->at++;
    return true;
}

/* A tuple of whole numbers: (), (5,), (3, 4). */
static bool take_shape(struct cursor *cursor, struct npy_dictionary *dictionary)
{
    bool comma = true;

    if (!take(cursor, "("))
        return false;
    while (!take(cursor, ")")) {
        int64_t side;

        if (!comma || !take_number(cursor, &side))
            return false;
        if (dictionary->dimensions < NPY_MAX_SIDES)
            dictionary->sides[dictionary->dimensions] = side;
        dictionary->dimensions++;
        comma = take(cursor, ",");
    }
    return comma || dictionary->dimensions != 1; /* (5) is a number, not a tuple */
}

/* A structured type is a list, which need not be understood: it is refused. */
static bool take_type(struct cursor *cursor, struct npy_dictionary *dictionary)
{
    const char *begin, *end = NULL;

    if (!take(cursor, "["))
        return take_string(cursor, dictionary->descr, sizeof dictionary->descr);
    begin = cursor->at;
    for (const char *at = begin; at < cursor->end; at++)
        end = *at == ']' ? at : end;
    if (!end)
        return false;
    strcpy(dictionary->descr, "[");
    cursor->at = end + 1;
    return true;
}

static bool take_flag(struct cursor *cursor, struct npy_dictionary *dictionary)
{
    dictionary->fortran_order = take(cursor, "True");
    return dictionary->fortran_order || take(cursor, "False");
}

static const struct {
    const char *key, *expected; /* what its value must be, for messages */
    bool (*take_value)(struct cursor *cursor, struct npy_dictionary *dictionary);
} entries[] = {
    {"descr", "a type", take_type},
    {"fortran_order", "True or False", take_flag},
    {"shape", "a tuple of whole numbers", take_shape},
};
#define ENTRIES (sizeof entries / sizeof *entries)

/* A key that has not been there, and its value. Returns what was expected, or NULL. */
static const char *take_entry(struct cursor *cursor, struct npy_dictionary *dictionary,
                              unsigned *found)
{
    char key[16];
    size_t i = 0;

    if (!take_string(cursor, key, sizeof key))
        return "a key";
    while (i < ENTRIES && strcmp(key, entries[i].key) != 0)
        i++;
    if (i == ENTRIES || *found & 1u << i)
        return "descr, fortran_order and shape, each once";
    *found |= 1u << i;
    if (!take(cursor, ":"))
        return "a colon";
    return entries[i].take_value(cursor, dictionary) ? NULL : entries[i].expected;
}

/* Returns what was expected, or NULL. */
static const char *take_dictionary(struct cursor *cursor, struct npy_dictionary *dictionary)
{
    const char *expected = NULL;
    unsigned found = 0;
    bool comma = true;

    if (!take(cursor, "{"))
        return "a dictionary";
    while (!take(cursor, "}")) {
        expected = comma ? take_entry(cursor, dictionary, &found) : "a comma or }";
        if (expected)
            return expected;
        comma = take(cursor, ",");
    }
    if (found != (1u << ENTRIES) - 1)
        return "descr, fortran_order and shape, each once";
    skip_space(cursor);
    return cursor->at < cursor->end ? "only spaces after the dictionary" : NULL;
}

const char *npy_dictionary_parse(const char *text, size_t count, struct npy_dictionary *dictionary,
                                 size_t *at)
{
    struct cursor cursor = {text, text + count};
    const char *expected;

    memset(dictionary, 0, sizeof *dictionary);
    expected = take_dictionary(&cursor, dictionary);
    *at = (size_t)(cursor.at - text);
    return expected;
}
