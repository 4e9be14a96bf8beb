// SPDX-License-Identifier: MIT
// Meson requires a source for an executable.
