/* SPDX-License-Identifier: MIT */
#include "src/files/light/light.h"

#include <stdlib.h>

void lights_close(struct lights *lights)
{
    for (int i = 0; i < lights->count; i++)
        free(lights->kept[i]);
}

static struct light *find(const struct lights *lights, uint32_t maxval, uint32_t gamma)
{
    for (int i = 0; i < lights->count; i++)
        if (lights->kept[i]->maxval == maxval && lights->kept[i]->gamma == gamma)
            return lights->kept[i];
    return NULL;
}

const struct light *lights_get(struct lights *lights, uint32_t maxval, uint32_t gamma,
                               struct light **owned)
{
    struct light *light;

    pthread_mutex_lock(&lights->mutex);
    light = find(lights, maxval, gamma);
    if (!light) {
        light = malloc(sizeof *light);
        if (light)
            light_make(light, maxval, gamma);
        if (light && lights->count < LIGHTS_KEPT)
            lights->kept[lights->count++] = light;
        else
            *owned = light;
    }
    pthread_mutex_unlock(&lights->mutex);
    return light;
}
