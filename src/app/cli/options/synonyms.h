/* SPDX-License-Identifier: MIT */
/* What people type who know other programs. */
#ifndef SMOOTHIMG_SYNONYMS_H
#define SMOOTHIMG_SYNONYMS_H

#include "src/text/option_table.h"

/* For struct option_table: the options that were meant. */
extern const struct option_synonym synonyms[];

/* Sets *edge (enum edge) to the rule that SciPy, OpenCV, NumPy or vips calls by this word. False if
 * it is none of these words, or if they disagree on it. */
bool synonyms_find_edge(const char *word, int *edge);

#endif
