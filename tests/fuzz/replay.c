/* SPDX-License-Identifier: MIT */
/* replay FILE...: a target's own main where no fuzzer is linked in: runs it on each file. */
#include "tests/fuzz/ground.h"

int main(int argc, char **argv)
{
    static uint8_t data[1 << 20];

    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t size;

        DEMAND(file, "%s cannot be opened", argv[i]);
        size = fread(data, 1, sizeof data, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%d inputs\n", argc - 1);
    return argc < 2;
}
