/* SPDX-License-Identifier: MIT */
#include "src/app/stream/memory/budget.h"

#include "src/app/stream/memory/memory_limit.h"
#include "src/text/size.h"

#include <stdio.h>

void budget_open(struct budget *budget, int64_t limit)
{
    *budget = (struct budget){
        .limit = limit > 0 ? limit : memory_limit("") / 4 * 3,
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
}

void budget_close(struct budget *budget)
{
    pthread_cond_destroy(&budget->changed);
    pthread_mutex_destroy(&budget->mutex);
}

static enum status refuse(const struct budget *budget, int64_t bytes, const char *what,
                          const char *remedy, struct error *error)
{
    const int64_t whole = budget->limit + budget->kept;
    char needed[SIZE_TEXT], limit[SIZE_TEXT], kept[64] = "";

    if (bytes == INT64_MAX)
        return fail(error, STATUS_INPUT,
                    "%s would take more bytes of memory than a program with addresses of %d bits "
                    "can have%s",
                    what, (int)sizeof(void *) * 8, remedy);
    if (budget->kept > 0)
        snprintf(kept, sizeof kept, ", of which the mask has %lld", (long long)budget->kept);
    return fail(error, STATUS_INPUT,
                "%s would take %lld bytes of memory (%s), above the limit of %lld (%s)%s; raise it "
                "with --max-memory%s",
                what, (long long)bytes, size_text(bytes, needed), (long long)whole,
                size_text(whole, limit), kept, remedy);
}

enum status budget_take(struct budget *budget, int64_t bytes, const char *what, const char *remedy,
                        struct error *error)
{
    uint64_t ticket;

    if (bytes > budget->limit)
        return refuse(budget, bytes, what, remedy, error);
    pthread_mutex_lock(&budget->mutex);
    ticket = budget->tickets++;
    while (ticket != budget->serving || bytes > budget->limit - budget->taken)
        pthread_cond_wait(&budget->changed, &budget->mutex);
    budget->taken += bytes;
    budget->serving++;
    pthread_cond_broadcast(&budget->changed); /* the next in line may fit as well */
    pthread_mutex_unlock(&budget->mutex);
    return STATUS_OK;
}

void budget_give(struct budget *budget, int64_t bytes)
{
    pthread_mutex_lock(&budget->mutex);
    budget->taken -= bytes;
    pthread_cond_broadcast(&budget->changed);
    pthread_mutex_unlock(&budget->mutex);
}

void budget_keep(struct budget *budget, int64_t bytes)
{
    budget->limit -= bytes;
    budget->kept += bytes;
}
