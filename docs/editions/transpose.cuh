/* SPDX-License-Identifier: MIT */
static void set_filter(struct request *, int64_t) {}

/* Returns the sample at (x, y) of the result. */
static unsigned expected(const struct request *request, const unsigned char *src, int64_t x,
                         int64_t y)
{
    return src[x * request->src.width + y];
}

static const enum op OP = OP_TRANSPOSE;
