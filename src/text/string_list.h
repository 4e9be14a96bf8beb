/* SPDX-License-Identifier: MIT */
/* Lists of words for messages. Joins words, as in "a, b and c", and finds the word that is nearest
 * to a mistyped one. */
#ifndef SMOOTHIMG_STRING_LIST_H
#define SMOOTHIMG_STRING_LIST_H

#define WORDS_MAX 64

/* A list of words. It does not own the words. Initialize it with {0}. */
struct string_list {
    const char *words[WORDS_MAX];
    int count;
    const char *before; /* text before each word in messages, such as "--", or NULL */
};

/* A part of a message, returned by value. */
struct phrase {
    char text[512];
};

/* Appends formatted text to the phrase; cuts off text that does not fit. */
void phrase_add(struct phrase *phrase, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a word unless the list contains it or is full. */
void string_list_add(struct string_list *list, const char *word);

/* Returns the words as "a", "a and b", or "a, b and c"; `link` is "and" or "or". Cuts off text that
 * does not fit. */
struct phrase string_list_join(const struct string_list *list, const char *link);

/* Returns a suggestion for a mistyped word, such as "; did you mean 'halo' or 'help'?". It names
 * the words of the list from which `word` differs in the fewest letters. If `word` is a name that
 * only the library or the Python package uses, such as radius, it names the program's word, such as
 * halo. Returns "" if no word is near enough. */
struct phrase string_list_nearest(const struct string_list *list, const char *word);

#endif
