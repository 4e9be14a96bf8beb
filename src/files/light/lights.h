/* SPDX-License-Identifier: MIT */
/* The tables of linear light that the files of a run share. */
#ifndef SMOOTHIMG_LIGHTS_H
#define SMOOTHIMG_LIGHTS_H

#include "src/files/light/light.h"

#include <pthread.h>

#define LIGHTS_KEPT 8 /* each takes 256 KiB */

struct lights {
    pthread_mutex_t mutex; /* over what follows */
    struct light *kept[LIGHTS_KEPT];
    int count;
};

/* The caller closes it after its last use. */
void lights_open(struct lights *lights);
void lights_close(struct lights *lights);

/* Makes the tables, or finds them. The first LIGHTS_KEPT are kept for the other files of the run;
 * of any other *owned is set, and the caller frees it. NULL without memory. Any thread may call. */
const struct light *lights_get(struct lights *lights, uint32_t maxval, uint32_t gamma,
                               struct light **owned);

#endif
