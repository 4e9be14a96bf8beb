/* SPDX-License-Identifier: MIT */
#include "src/app/stream/output/progress_share.h"

#include <stdatomic.h>

void progress_share_begin(struct progress_share *share, int64_t sample_bytes)
{
    share->scale = sample_bytes > share->bytes ? (double)share->bytes / (double)sample_bytes : 1;
}

/* Adds up to so many bytes: no more than are left of the file. */
static void add(struct progress_share *share, int64_t bytes)
{
    const int64_t left = share->bytes - atomic_fetch_add(&share->added, bytes);

    if (share->add && left > 0)
        share->add(bytes < left ? bytes : left);
}

void progress_share_rows(void *context, int64_t sample_bytes)
{
    struct progress_share *share = context;

    add(share, (int64_t)(share->scale * (double)sample_bytes));
}

void progress_share_end(struct progress_share *share)
{
    add(share, share->bytes);
}
