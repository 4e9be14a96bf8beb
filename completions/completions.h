/* SPDX-License-Identifier: MIT */
/* Scripts by which bash, zsh and fish complete a program's command line, made from its table of
 * options while the project is built: there is no list to keep by hand. */
#ifndef SMOOTHIMG_COMPLETIONS_H
#define SMOOTHIMG_COMPLETIONS_H

#include "option_table.h"
#include "words.h"

#include <stdbool.h>
#include <stdio.h>

/* What an option's argument may be, besides the words that its row has. */
struct completion_hint {
    const char *option; /* its name, after -- */
    struct word_list words;
};

#define MAX_HINTS 8

/* A program whose command line is completed. Its operands are files. */
struct completed {
    const char *name;
    const struct option_table *table;
    struct completion_hint hints[MAX_HINTS]; /* ends with one whose option is NULL */
};

/* The program that this generator was linked for; each has a file of its own. */
struct completed completed_program(void);

/* What a row's argument is. */
enum completion_kind {
    COMPLETE_NOTHING, /* there is none */
    COMPLETE_FREE,    /* a number or a text: nothing can be offered */
    COMPLETE_WORDS,
    COMPLETE_WORDS_OR_FILES,
    COMPLETE_FILES,
    COMPLETE_FOLDERS
};

/* Sets *words to those of the row and of its hint. The row tells files from folders by the name
 * that its argument has in --help: FILE, IMAGE, DIR. */
enum completion_kind completion_of(const struct completed *program, const struct option_row *row,
                                   struct word_list *words);

/* Prints text with a backslash before each of the characters of `special`, and ' as it is written
 * within '...' of the shell: '\'' . A '\n' becomes a space. */
void print_quoted(FILE *stream, const char *text, const char *special);

/* Prints the words with spaces between them. */
void print_words_spaced(FILE *stream, const struct word_list *words);

void print_bash(FILE *stream, const struct completed *program);
void print_zsh(FILE *stream, const struct completed *program);
void print_fish(FILE *stream, const struct completed *program);

#endif
