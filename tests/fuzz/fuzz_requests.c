/* SPDX-License-Identifier: MIT */
/* A fuzz target for the library. Draws a request, a call with all its arguments, from the input.
 * Demands the result of the oracle, which computes results by their definition (tests/random). */
#include "tests/fuzz/ground.h"
#include "tests/random/ask.h"

#define MOST_SAMPLES 400
#define MOST_PRODUCTS 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const engines[] = {"", "arrays", "cpu", "cpu:u8", "cpu:arrays", NULL};
    const struct domain domain = {engines, false, MOST_SAMPLES, MOST_PRODUCTS};
    struct source source = {.bytes = data, .count = size};
    struct test_request request;
    char line[LINE_LENGTH];
    const char *engine;

    if (size == 0 || !request_draw(&source, &domain, &request))
        return 0;
    request_print(&request, line);
    DEMAND(ask(&request, &engine) != WRONG, "%s", line);
    return 0;
}
