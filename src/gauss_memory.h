/* SPDX-License-Identifier: MIT */
/* Memory for GMP and MPFR, which end the program where they get none. The weights need little, so
 * that is taken before they begin, and what the libraries ask for is given out of it. */
#ifndef SMOOTHIMG_GAUSS_MEMORY_H
#define SMOOTHIMG_GAUSS_MEMORY_H

#include <stdbool.h>

/* From here on the calling thread's GMP and MPFR live on memory of their own. False: there is none.
 */
bool gauss_memory_open(void);

/* Gives it back; nothing of theirs may be in use any more. */
void gauss_memory_close(void);

#endif
