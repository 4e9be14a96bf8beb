/* SPDX-License-Identifier: MIT */
/* The pass down the columns in doubles. Only for files that have included vectors/reals.h for
 * doubles. */
#ifndef SMOOTHIMG_SMOOTH_DOUBLES_COLUMNS_H
#define SMOOTHIMG_SMOOTH_DOUBLES_COLUMNS_H

#define COLUMN vector
#define COLUMN_REAL double
#define COLUMN_VECTORS (VECTOR_REGISTERS == 32 ? 4 : 2)
#define COLUMN_AT at
#define COLUMN_PLUS(SUM, TAP, NUMBERS) ((SUM) + (TAP) * (NUMBERS))
#define COLUMN_HELD(SUM)
#include "kernels/smooth/cpu/vectors/columns.h"

#endif
