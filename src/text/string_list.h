/* SPDX-License-Identifier: MIT */
/* Lists of words for messages: "a, b and c", and which of them somebody may have meant. */
#ifndef SMOOTHIMG_WORDS_H
#define SMOOTHIMG_WORDS_H

#define WORDS_MAX 64

/* Points to the words, does not own them. Starts all zero. */
struct word_list {
    const char *words[WORDS_MAX];
    int count;
    const char *before; /* what messages put before each word, such as "--"; NULL: nothing */
};

/* A piece of a message, by value: it needs no care. */
struct phrase {
    char text[512];
};

/* Adds a word, unless it is there already or the list is full. */
void words_add(struct word_list *list, const char *word);

/* "a", "a and b", "a, b and c", link being "and" or "or"; cut where it would not fit. */
struct phrase words_joined(const struct word_list *list, const char *link);

/* " (did you mean 'halo'?)" if a word of the list is close to the given one, "" otherwise. */
struct phrase words_nearest(const struct word_list *list, const char *word);

#endif
