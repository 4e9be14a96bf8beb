// SPDX-License-Identifier: MIT
// An executable has to have a source of its own.
