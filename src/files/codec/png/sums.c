/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/sums.h"

#ifdef HAVE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

uint32_t png_adler(uint32_t adler, const uint8_t *bytes, size_t count)
{
    return isal_adler32(adler, bytes, count);
}

uint32_t png_crc(uint32_t crc, const uint8_t *bytes, size_t count)
{
    return crc32_gzip_refl(crc, bytes, count);
}
#else
#include <zlib.h>

uint32_t png_adler(uint32_t adler, const uint8_t *bytes, size_t count)
{
    return (uint32_t)adler32_z(adler, bytes, count);
}

uint32_t png_crc(uint32_t crc, const uint8_t *bytes, size_t count)
{
    return (uint32_t)crc32_z(crc, bytes, count);
}
#endif
