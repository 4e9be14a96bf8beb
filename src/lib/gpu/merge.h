/* SPDX-License-Identifier: MIT */
/* Smooths of a chain that are alike become layers of one job. */
#ifndef SMOOTHIMG_MERGE_H
#define SMOOTHIMG_MERGE_H

#include "src/lib/gpu/gpu.h"

/* How many of the steps, the first included, are one after the other the same smooth, by whatever
 * variants; and by one variant that knows layers. At least 1. */
int merge_alike(const struct step *steps, int count);
int merge_count(const struct step *steps, int count);

/* These steps as one, from the first one's source to the last one's result. Its job's src is still
 * that of the first step; merge_source widens it. */
struct step merge_steps(const struct step *steps, int count);

/* Widens the merged job's src by the rows of the image that are in its border: layers need all rows
 * that there are. */
void merge_source(const struct step *step, struct job *job);

/* Shares the times of the merged step among the steps. */
void merge_times(const struct step *merged, struct step *steps, int count);

#endif
