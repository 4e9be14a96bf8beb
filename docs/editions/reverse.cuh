/* SPDX-License-Identifier: MIT */
static void set_filter(struct request *, int64_t) {}

/* Returns the sample at (x, y) of the result. */
static unsigned expected(const struct request *request, const unsigned char *src, int64_t x,
                         int64_t y)
{
    return src[request->src.width * request->src.height - 1 - (y * request->src.width + x)];
}

static const enum op OP = OP_REVERSE;
