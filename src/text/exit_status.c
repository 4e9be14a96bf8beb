/* SPDX-License-Identifier: MIT */
#include "src/text/exit_status.h"

const int exit_statuses[] = {
    [STATUS_OK] = 0,        [STATUS_PARTIAL] = 1,   [STATUS_INVALID] = 2,     [STATUS_USAGE] = 2,
    [STATUS_NO_MEMORY] = 3, [STATUS_INPUT] = 3,     [STATUS_UNSUPPORTED] = 4, [STATUS_OUTPUT] = 5,
    [STATUS_DEVICE] = 6,    [STATUS_DIFFERENT] = 7,
};
