#!/bin/sh
# SPDX-License-Identifier: MIT
# until.sh TIME COMMAND ...: runs a test, or skips it if TIME, in seconds since the epoch, is past.
if [ "$(date +%s)" -ge "$1" ]; then
    echo "skipped: the time is up"
    exit 77
fi
shift
exec "$@"
