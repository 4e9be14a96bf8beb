/* SPDX-License-Identifier: MIT */
#include "src/app/stream/progress_share.h"

#include "kernels/common/numbers.h"

#include <stdatomic.h>

void progress_share_begin(struct progress_share *share, int64_t sample_bytes)
{
    share->scale = (double)share->work / (double)max(max(share->file_bytes, sample_bytes), 1);
}

/* Adds up to so much: no more than is left of the file's. */
static void add(struct progress_share *share, int64_t work)
{
    const int64_t left = share->work - atomic_fetch_add(&share->added, work);

    if (share->add && left > 0)
        share->add(min(work, left));
}

void progress_share_rows(void *context, int64_t sample_bytes)
{
    struct progress_share *share = context;

    add(share, (int64_t)(share->scale * (double)sample_bytes));
}

void progress_share_end(struct progress_share *share)
{
    add(share, share->work);
}
