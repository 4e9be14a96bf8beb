/* SPDX-License-Identifier: MIT */
/* What a glance tells of a header. */
#include "glance.h"
#include "scratch.h"
#include "unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *head;
    int64_t file_bytes;
    struct glance wanted; /* without images: nothing is to be told */
} cases[] = {
    {"P5\n640 480\n255\n", 15 + 640 * 480, {1, {640, 480, 1, 255}, false}},
    {"P5 640 480 255\n", 15, {1, {640, 480, 1, 255}, false}},
    {"P6 #c\n# 9 9\n64\t48 # x\n 65535\n", 999, {1, {64, 48, 3, 65535}, false}},
    {"P2 3 2 9 1 1 1 1 1 1", 1000000, {1, {3, 2, 1, 9}, false}},
    {"P4 800 600\n", 60000, {1, {800, 600, 1, 1}, false}},
    {"P1 8 6 0", 60000, {1, {8, 6, 1, 1}, false}},
    /* A stream of ten, and one whose second image is smaller. */
    {"P5 100 100 255\n", 10 * 10015, {10, {100, 100, 1, 255}, false}},
    {"P5 100 100 65535\n", 10 * 20017, {10, {100, 100, 1, 65535}, false}},
    {"P5 100 100 255\n", 15015, {1, {100, 100, 1, 255}, false}},
    {"P7\nWIDTH 12\nHEIGHT 13\nDEPTH 4\nMAXVAL 1000\nTUPLTYPE RGB_ALPHA\nENDHDR\n",
     99,
     {1, {12, 13, 4, 1000}, false}},
    {"P5\n640", 1000, {0}},
    {"P5 0 1 255\n", 1000, {0}},
    {"P7\nWIDTH 12\nHEIGHT 13\nENDHDR\n", 99, {0}},
    {"JFIF 1 2 3", 1000, {0}},
    {"", 0, {0}},
};

static void check_heads(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct glance *wanted = &cases[i].wanted;
        struct glance glance;
        const bool found = glance_at_head((const unsigned char *)cases[i].head,
                                          strlen(cases[i].head), cases[i].file_bytes, &glance);

        CHECK(found == (wanted->images > 0), "%s", cases[i].head);
        CHECK(!found || (glance.images == wanted->images && glance.png == wanted->png &&
                         glance.shape.width == wanted->shape.width &&
                         glance.shape.height == wanted->shape.height &&
                         glance.shape.channels == wanted->shape.channels &&
                         glance.shape.maxval == wanted->shape.maxval),
              "%s: %lld images of %lld x %lld, %d channels, maxval %u", cases[i].head,
              (long long)glance.images, (long long)glance.shape.width,
              (long long)glance.shape.height, glance.shape.channels, glance.shape.maxval);
    }
}

/* The signature, IHDR, 0x10203 x 0x405, depth and colour type. */
static void check_png(void)
{
    unsigned char head[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\2\3\0\0\4\5\x10\6\0\0\0";
    struct glance glance;

    CHECK(glance_at_head(head, 29, 5000, &glance), "RGB and alpha, 16 bits");
    CHECK(glance.png && glance.images == 1, "%lld images", (long long)glance.images);
    CHECK(glance.shape.width == 0x10203 && glance.shape.height == 0x405 &&
              glance.shape.channels == 4 && glance.shape.maxval == 65535,
          "%lld x %lld, %d channels, maxval %u", (long long)glance.shape.width,
          (long long)glance.shape.height, glance.shape.channels, glance.shape.maxval);
    head[24] = 4, head[25] = 3;
    CHECK(glance_at_head(head, 29, 5000, &glance) && glance.shape.channels == 3 &&
              glance.shape.maxval == 255,
          "a palette becomes RGB");
    CHECK(!glance_at_head(head, 25, 5000, &glance), "too short");
    head[25] = 200;
    CHECK(!glance_at_head(head, 29, 5000, &glance), "no such colour type");
}

/* Files, and what is none. */
static void check_files(void)
{
    static const char small[] = "P5 3 2 255\n123456";
    struct glance glance;

    scratch_make();
    scratch_write(scratch_path("one.pgm"), small, sizeof small - 1);
    scratch_write(scratch_path("three.png"), "no image", 8);
    CHECK(glance_at(scratch_path("one.pgm"), &glance) && glance.shape.width == 3, "a file");
    CHECK(!glance_at(scratch_path("three.png"), &glance), "no image");
    CHECK(!glance_at(scratch_path("none"), &glance), "no file");
    NEED(mkfifo(scratch_path("pipe.pgm"), 0666) == 0);
    alarm(60); /* opening it would wait for a writer */
    CHECK(!glance_at(scratch_path("pipe.pgm"), &glance), "a pipe");
    alarm(0);
    CHECK(!glance_at(scratch_path(""), &glance), "a folder");
}

/* Standard input's position stays where it is, in the middle of a file too. */
static void check_stdin(void)
{
    static const char text[] = "junkP5 3 2 255\n123456";
    struct glance glance;

    scratch_write(scratch_path("stdin"), text, sizeof text - 1);
    NEED(freopen(scratch_path("stdin"), "rb", stdin));
    CHECK(!glance_at("-", &glance), "junk");
    NEED(lseek(STDIN_FILENO, 4, SEEK_SET) == 4);
    CHECK(glance_at("-", &glance) && glance.shape.height == 2, "an image");
    CHECK(lseek(STDIN_FILENO, 0, SEEK_CUR) == 4, "it was read");
}

int main(void)
{
    check_heads();
    check_png();
    check_files();
    check_stdin();
    return unit_result();
}
