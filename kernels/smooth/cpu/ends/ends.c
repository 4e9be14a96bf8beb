/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/ends/ends.h"

#include "kernels/common/numbers.h"
#include "kernels/smooth/source.h"

void row_ends_find(struct row_ends *ends, const struct job *job, int64_t begin, int64_t length)
{
    const int64_t bytes = job->src.sample_bytes,
                  end = job->src.width * job->src.channels + source_samples_right(job);

    ends->lead = max(-source_samples_left(job) - begin, 0);
    ends->trail = max(begin + length - end, 0);
    for (int64_t i = 0; i < ends->lead; i++)
        ends->places[i] = source_sample_index(job, begin + i);
    for (int64_t i = 0; i < ends->trail; i++)
        ends->places[ends->lead + i] = source_sample_index(job, end + i);
    ends->sample_bytes = (int)bytes;
    ends->begin = begin * bytes;
    ends->inside = ends->lead * bytes;
    ends->end = (length - ends->trail) * bytes;
    ends->from[0] = ends->from[1] = ends->inside;
    ends->to[0] = ends->end;
    ends->to[1] = ends->inside;
}
