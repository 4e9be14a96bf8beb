/* SPDX-License-Identifier: MIT */
/* What --verbose and --json tell of the sessions: each used device once. */
#include "src/app/dispatch/dispatcher_state.h"

/* Is it the oldest of the used sessions of its device? */
static bool is_first_used(const struct sessions *sessions, const struct session *session)
{
    for (const struct session *older = sessions->all; older != session; older = older->next)
        if (older->device == session->device && older->used)
            return false;
    return session->used;
}

void dispatcher_name_gpu(struct dispatcher *dispatcher, char *text, size_t bytes)
{
    struct sessions *sessions = &dispatcher->sessions;
    size_t length = 0;

    text[0] = '\0';
    pthread_mutex_lock(&sessions->mutex);
    for (const struct session *it = sessions->all; it && length < bytes; it = it->next)
        if (is_first_used(sessions, it))
            length += (size_t)snprintf(text + length, bytes - length, "%s%d: %s",
                                       length > 0 ? ", " : "", it->device, it->description.name);
    pthread_mutex_unlock(&sessions->mutex);
}

bool dispatcher_print_opening(FILE *stream, struct dispatcher *dispatcher)
{
    struct sessions *sessions = &dispatcher->sessions;
    bool any = false;

    pthread_mutex_lock(&sessions->mutex);
    for (const struct session *it = sessions->all; it; it = it->next)
        if (is_first_used(sessions, it)) {
            fprintf(stream, "GPU: %s, opened in %.0f ms\n", it->description.name,
                    1e3 * it->seconds);
            any = true;
        }
    pthread_mutex_unlock(&sessions->mutex);
    return any;
}
