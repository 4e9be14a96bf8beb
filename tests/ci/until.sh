#!/bin/sh
# SPDX-License-Identifier: MIT
# until.sh TIME COMMAND ...: runs a test, or after TIME, in seconds since the epoch, skips it.
[ "$(date +%s)" -lt "$1" ] || exit 77
shift
exec "$@"
