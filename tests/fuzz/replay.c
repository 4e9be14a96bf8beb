/* SPDX-License-Identifier: MIT */
/* The main program of a fuzz target (ground.h) that is built without a fuzzer. `replay FILE...`
 * runs the target on each file and, if the file is below 16 KiB, on copies with a few changed
 * bytes. */
#include "tests/fuzz/ground.h"
#include "tests/unit/splitmix.h"

#include <stdbool.h>
#include <string.h>

#define CHANGED 10 /* changed copies of each file */

/* Changes up to four bytes, chosen from the whole file. If the file has more than 24 bytes, half of
 * them, on average, are chosen from the first 24 bytes instead, which hold the header. Half of the
 * changed bytes become digits. */
static void change(uint8_t *data, size_t size, uint64_t seed)
{
    for (uint64_t edits = 1 + splitmix(&seed) % 4; edits > 0 && size > 0; edits--) {
        const bool in_header = splitmix(&seed) % 2 && size > 24;
        const uint64_t place = splitmix(&seed) % (in_header ? 24 : size), value = splitmix(&seed);

        data[place] = (uint8_t)(value % 2 ? '0' + value / 2 % 10 : value / 2);
    }
}

int main(int argc, char **argv)
{
    static uint8_t data[1 << 20], changed[1 << 14];

    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t size;

        DEMAND(file, "%s cannot be opened", argv[i]);
        size = fread(data, 1, sizeof data, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
        for (uint64_t seed = 0; seed < CHANGED && size < sizeof changed; seed++) {
            memcpy(changed, data, size);
            change(changed, size, seed);
            LLVMFuzzerTestOneInput(changed, size);
        }
    }
    printf("%d inputs\n", argc - 1);
    return argc < 2;
}
