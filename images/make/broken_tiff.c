/* SPDX-License-Identifier: MIT */
/* Writes TIFF files, most of them of 4x4 grey samples in one strip. Each has one fault, which its
 * name says. */
#include "images/make/make_images.h"

static void put16(FILE *file, unsigned value)
{
    putc((int)(value & 255), file);
    putc((int)(value >> 8 & 255), file);
}

static void put32(FILE *file, uint32_t value)
{
    put16(file, value & 65535);
    put16(file, value >> 16);
}

/* The possible faults. A member that is 0 stands for the correct value. */
struct faults {
    uint32_t side, compression, photometric, offset;
    bool no_photometric;
    bool planes;       /* two planes, but only one strip */
    const char *strip; /* the strip's 16 bytes; NULL: 16 samples */
};

static void put_tag(FILE *file, unsigned tag, uint32_t value)
{
    put16(file, tag);
    put16(file, 4); /* LONG */
    put32(file, 1);
    put32(file, value);
}

/* Writes the header, 16 bytes of samples, and the directory at offset 24. */
static bool put_tiff(FILE *file, struct faults faults)
{
    const uint32_t side = faults.side ? faults.side : 4;

    fwrite("II*\0\x18\0\0\0", 1, 8, file);
    fwrite(faults.strip ? faults.strip : "0123456789abcdef", 1, 16, file);
    put16(file, (faults.no_photometric ? 8u : 9u) + faults.planes);
    put_tag(file, 256, side); /* width */
    put_tag(file, 257, side); /* height */
    put_tag(file, 258, 8);    /* bits per sample */
    put_tag(file, 259, faults.compression ? faults.compression : 1);
    if (!faults.no_photometric)
        put_tag(file, 262, faults.photometric ? faults.photometric : 1);
    put_tag(file, 273, faults.offset ? faults.offset : 8); /* offset of the strip */
    put_tag(file, 277, faults.planes ? 2 : 1);             /* samples per pixel */
    put_tag(file, 278, side);                              /* rows of a strip */
    put_tag(file, 279, 16);                                /* bytes of the strip */
    if (faults.planes)
        put_tag(file, 284, 2); /* samples in separate planes */
    put32(file, 0);            /* no other directory */
    return true;
}

/* The only tile has offset 0 and length 0, as in the sparse files of GDAL, which leave out empty
 * tiles. 256 unused bytes make the file as long as if it had the tile. */
bool break_sparse_tile(FILE *file)
{
    fwrite("II*\0\x08\1\0\0", 1, 8, file);
    for (int i = 0; i < 16; i++)
        fwrite("0123456789abcdef", 1, 16, file);
    put16(file, 10);
    put_tag(file, 256, 4);  /* width */
    put_tag(file, 257, 4);  /* height */
    put_tag(file, 258, 8);  /* bits per sample */
    put_tag(file, 259, 1);  /* compression: none */
    put_tag(file, 262, 1);  /* 0 is black */
    put_tag(file, 277, 1);  /* samples per pixel */
    put_tag(file, 322, 16); /* width of a tile */
    put_tag(file, 323, 16); /* height of a tile */
    put_tag(file, 324, 0);  /* offset of the tile */
    put_tag(file, 325, 0);  /* bytes of the tile */
    put32(file, 0);
    return true;
}

/* The second strip is missing. libtiff takes its offset as 0, where the file's header is. */
bool break_one_strip_of_two(FILE *file)
{
    return put_tiff(file, (struct faults){.planes = true});
}

bool break_huge_tiff(FILE *file)
{
    return put_tiff(file, (struct faults){.side = 1000000});
}

bool break_cut_off(FILE *file)
{
    return put_tiff(file, (struct faults){.offset = 1000});
}

/* The compression is deflate, but the samples are no zlib stream. */
bool break_no_stream(FILE *file)
{
    return put_tiff(file, (struct faults){.compression = 8});
}

/* The strip decompresses to 16 times "a". The last byte of its Adler-32 is off by one. */
bool break_bad_adler(FILE *file)
{
    return put_tiff(file, (struct faults){
                              .compression = 8,
                              .strip = "\x78\xda\x4b\x4c\x44\x05\x00\x33\x98\x06\x12\0\0\0\0",
                          });
}

/* The strip decompresses to 20 times "a", with a correct Adler-32. The image has 16 samples. */
bool break_more_samples(FILE *file)
{
    return put_tiff(file, (struct faults){
                              .compression = 8,
                              .strip = "\x78\xda\x4b\x4c\xc4\x04\x00\x4f\xa6\x07\x95\0\0\0\0",
                          });
}

bool break_colourless(FILE *file)
{
    return put_tiff(file, (struct faults){.no_photometric = true});
}

/* A correct file, but CMYK is not supported. */
bool break_cmyk(FILE *file)
{
    return put_tiff(file, (struct faults){.photometric = 5});
}

/* The directory's offset is after the end of the file. */
bool break_no_directory(FILE *file)
{
    fwrite("MM\0*\0\0\0\x64gone", 1, 12, file);
    return true;
}
