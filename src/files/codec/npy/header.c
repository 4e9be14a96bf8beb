/* SPDX-License-Identifier: MIT */
#include "src/files/codec/npy/header.h"
#include "kernels/common/numbers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NPY_MAX_SIDES 8

struct npy_dictionary {
    char descr[32];               /* the type: "<u2"; "[" for a structured one; cut if longer */
    bool fortran_order;           /* columns first */
    int64_t sides[NPY_MAX_SIDES]; /* INT64_MAX for a number above it */
    int dimensions;               /* may exceed NPY_MAX_SIDES */
};

/* --- The text of a header: a Python dictionary. */

/* The text that is left. */
struct cursor {
    const char *at, *end;
};

static char next_char(const struct cursor *cursor)
{
    return cursor->at < cursor->end ? *cursor->at : '\0';
}

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && memchr(" \t\n\r", *cursor->at, 4))
        cursor->at++;
}

/* Steps over white space and these characters, if they follow. */
static bool take(struct cursor *cursor, const char *word)
{
    const size_t length = strlen(word);

    skip_space(cursor);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

/* A string in single or double quotes, without escapes, of printable ASCII. */
static bool take_string(struct cursor *cursor, char *string, size_t room)
{
    const char quote = take(cursor, "'") ? '\'' : take(cursor, "\"") ? '"' : '\0';
    const char *begin = cursor->at, *end;

    end = quote ? memchr(begin, quote, (size_t)(cursor->end - begin)) : NULL;
    for (const char *at = begin; end && at < end; at++)
        if (*at < ' ' || *at > '~')
            end = NULL;
    if (!end)
        return false;
    snprintf(string, room, "%.*s", (int)(end - begin), begin);
    cursor->at = end + 1;
    return true;
}

/* A whole number; Python 2 wrote an L after it. */
static bool take_number(struct cursor *cursor, int64_t *number)
{
    const char *begin;

    skip_space(cursor);
    begin = cursor->at;
    *number = 0;
    for (; next_char(cursor) >= '0' && next_char(cursor) <= '9'; cursor->at++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, *cursor->at - '0', number))
            *number = INT64_MAX / 10; /* stays too large for any image */
    if (cursor->at == begin)
        return false;
    if (next_char(cursor) == 'L')
        cursor->at++;
    return true;
}

/* A tuple of whole numbers: (), (5,), (3, 4). */
static bool take_shape(struct cursor *cursor, struct npy_dictionary *dictionary)
{
    bool comma = true;

    if (!take(cursor, "("))
        return false;
    while (!take(cursor, ")")) {
        int64_t side;

        if (!comma || !take_number(cursor, &side))
            return false;
        if (dictionary->dimensions < NPY_MAX_SIDES)
            dictionary->sides[dictionary->dimensions] = side;
        dictionary->dimensions++;
        comma = take(cursor, ",");
    }
    return comma || dictionary->dimensions != 1; /* (5) is a number, not a tuple */
}

/* A structured type is a list, which need not be understood: it is refused. */
static bool take_type(struct cursor *cursor, struct npy_dictionary *dictionary)
{
    const char *end;

    if (!take(cursor, "["))
        return take_string(cursor, dictionary->descr, sizeof dictionary->descr);
    end = memrchr(cursor->at, ']', (size_t)(cursor->end - cursor->at));
    if (!end)
        return false;
    strcpy(dictionary->descr, "[");
    cursor->at = end + 1;
    return true;
}

static bool take_flag(struct cursor *cursor, struct npy_dictionary *dictionary)
{
    dictionary->fortran_order = take(cursor, "True");
    return dictionary->fortran_order || take(cursor, "False");
}

static const struct {
    const char *key, *expected; /* what its value must be, for messages */
    bool (*take_value)(struct cursor *cursor, struct npy_dictionary *dictionary);
} entries[] = {
    {"descr", "a type", take_type},
    {"fortran_order", "True or False", take_flag},
    {"shape", "a tuple of whole numbers", take_shape},
};
#define ENTRIES (sizeof entries / sizeof *entries)

/* A key that has not been there, and its value. Returns what was expected, or NULL. */
static const char *take_entry(struct cursor *cursor, struct npy_dictionary *dictionary,
                              unsigned *found)
{
    char key[16];
    size_t i = 0;

    if (!take_string(cursor, key, sizeof key))
        return "a key";
    while (i < ENTRIES && strcmp(key, entries[i].key) != 0)
        i++;
    if (i == ENTRIES || *found & 1u << i)
        return "descr, fortran_order and shape, each once";
    *found |= 1u << i;
    if (!take(cursor, ":"))
        return "a colon";
    return entries[i].take_value(cursor, dictionary) ? NULL : entries[i].expected;
}

/* Each of the three keys once, in any order, and nothing else but white space. Returns NULL, or
 * what was expected where the text differs, for a message. Python is not interpreted. */
static const char *take_dictionary(struct cursor *cursor, struct npy_dictionary *dictionary)
{
    const char *expected = NULL;
    unsigned found = 0;
    bool comma = true;

    if (!take(cursor, "{"))
        return "a dictionary";
    while (!take(cursor, "}")) {
        expected = comma ? take_entry(cursor, dictionary, &found) : "a comma or }";
        if (expected)
            return expected;
        comma = take(cursor, ",");
    }
    if (found != (1u << ENTRIES) - 1)
        return "descr, fortran_order and shape, each once";
    skip_space(cursor);
    return cursor->at < cursor->end ? "only spaces after the dictionary" : NULL;
}

#define MAX_TEXT_BYTES 10000 /* NumPy's own limit */

#define EXACT "array.astype(numpy.float32), which keeps every value"
#define ROUNDED "array.astype(numpy.float32), which rounds to 24 bits"

/* The types that are supported, and others that NumPy makes one of them. */
static const struct type {
    const char *name; /* without the byte order */
    uint32_t maxval;
    const char *conversion; /* how another one becomes one of them, and what that costs */
} types[] = {
    {"u1", 255, NULL},   {"u2", 65535, NULL}, {"f4", FLOAT_SAMPLES, NULL},
    {"b1", 0, EXACT},    {"i1", 0, EXACT},    {"i2", 0, EXACT},
    {"f2", 0, EXACT},    {"u4", 0, ROUNDED},  {"u8", 0, ROUNDED},
    {"i4", 0, ROUNDED},  {"i8", 0, ROUNDED},  {"f8", 0, ROUNDED},
    {"f12", 0, ROUNDED}, {"f16", 0, ROUNDED},
};

static const struct type *type_of(const char *descr)
{
    const bool has_order = *descr && strchr("<>|=", *descr);

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(descr + has_order, types[i].name) == 0)
            return &types[i];
    return NULL;
}

/* type: NULL: it is unknown. */
static enum status refuse_type(const struct image_reader *reader, const char *descr,
                               const struct type *type, struct error *error)
{
    return fail(error, STATUS_UNSUPPORTED,
                "%s: arrays of type '%s' are not supported; u1, u2 and f4 are%s%s", reader->name,
                descr, type ? "; in NumPy, save " : "", type ? type->conversion : "");
}

static enum status unsupported(const struct image_reader *reader, const char *what,
                               const char *remedy, struct error *error)
{
    return fail(error, STATUS_UNSUPPORTED, "%s: %s; in NumPy, save %s", reader->name, what, remedy);
}

/* The sides of an array: of a stack planes; rows, columns and, if there are more dimensions,
 * channels. */
static void take_sides(const struct npy_dictionary *dictionary, bool stack,
                       struct npy_header *header)
{
    const int64_t *sides = dictionary->sides + stack;
    const int64_t channels = dictionary->dimensions == 3 + stack ? sides[2] : 1;

    header->planes = stack ? dictionary->sides[0] : 0;
    header->shape.height = sides[0];
    header->shape.width = sides[1];
    header->shape.channels = (int32_t)min(channels, INT32_MAX);
}

/* Has the array as many dimensions as are read? */
static enum status check_dimensions(const struct image_reader *reader, int dimensions,
                                    struct error *error)
{
    char what[160];

    if (dimensions >= 2 + reader->stack && dimensions <= 3 + reader->stack)
        return STATUS_OK;
    if (reader->stack && dimensions == 2)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: an array of 2 dimensions has no planes, and three numbers reach through "
                    "planes; give two",
                    reader->name);
    snprintf(what, sizeof what, "arrays of %d dimension%s are not supported; %s", dimensions,
             dimensions == 1 ? "" : "s",
             reader->stack ? "3 with the planes first are, and 4 with the channels last"
                           : "2 are, and 3 with the channels last");
    if (!reader->stack && dimensions == 4)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: %s; for a stack of such images give --sigma or --halo three numbers, "
                    "x,y,z, with 0 for z to filter each by itself",
                    reader->name, what);
    return unsupported(reader, what,
                       dimensions < 2 ? "array.reshape(rows, columns)" : "each image by itself",
                       error);
}

static enum status take_kind(const struct image_reader *reader,
                             const struct npy_dictionary *dictionary, struct npy_header *header,
                             struct error *error)
{
    const struct type *type = type_of(dictionary->descr);
    enum status status;

    if (dictionary->descr[0] == '[')
        return unsupported(reader, "structured arrays are not supported",
                           "one field, such as array['x']", error);
    if (!type || type->conversion)
        return refuse_type(reader, dictionary->descr, type, error);
    if (dictionary->fortran_order)
        return unsupported(reader, "arrays in Fortran order are not supported",
                           "numpy.ascontiguousarray(array)", error);
    status = check_dimensions(reader, dictionary->dimensions, error);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < dictionary->dimensions; i++)
        if (dictionary->sides[i] == 0)
            return fail(error, STATUS_UNSUPPORTED, "%s: an array without samples: side %d is 0",
                        reader->name, i + 1);
    take_sides(dictionary, reader->stack, header);
    header->shape.maxval = type->maxval;
    header->big_endian = dictionary->descr[0] == '>';
    return STATUS_OK;
}

static enum status read_bytes(const struct image_reader *reader, void *bytes, size_t count,
                              struct error *error)
{
    return fread(bytes, 1, count, reader->file) == count
               ? STATUS_OK
               : image_reader_short(reader, "the header", error);
}

/* The magic number, the version and the length of the text: 2 bytes in version 1, then 4. */
static enum status read_length(const struct image_reader *reader, uint32_t *length,
                               struct error *error)
{
    uint8_t head[NPY_MAGIC_BYTES + 2], bytes[4] = {0};
    enum status status = read_bytes(reader, head, sizeof head, error);
    const uint8_t *version = head + NPY_MAGIC_BYTES;

    if (status == STATUS_OK && memcmp(head, NPY_MAGIC, NPY_MAGIC_BYTES) != 0)
        return fail(error, STATUS_INPUT, "%s: cannot be read from its beginning", reader->name);
    if (status == STATUS_OK && (version[0] < 1 || version[0] > 3 || version[1] != 0))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: NPY version %d.%d is not supported; 1.0, 2.0 and 3.0 are", reader->name,
                    version[0], version[1]);
    if (status == STATUS_OK)
        status = read_bytes(reader, bytes, version[0] == 1 ? 2 : 4, error);
    *length =
        (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
    return status;
}

enum status npy_header_read(const struct image_reader *reader, struct npy_header *header,
                            struct error *error)
{
    struct npy_dictionary dictionary = {.dimensions = 0};
    char text[MAX_TEXT_BYTES];
    struct cursor cursor;
    const char *expected;
    uint32_t length = 0;
    enum status status = read_length(reader, &length, error);

    if (status == STATUS_OK && length > sizeof text)
        return fail(error, STATUS_INPUT,
                    "%s: bad header: it declares %u bytes of text; up to %d are read", reader->name,
                    (unsigned)length, MAX_TEXT_BYTES);
    if (status == STATUS_OK)
        status = read_bytes(reader, text, length, error);
    if (status != STATUS_OK)
        return status;
    cursor = (struct cursor){text, text + length};
    expected = take_dictionary(&cursor, &dictionary);
    if (expected)
        return fail(error, STATUS_INPUT, "%s: bad header: expected %s after %d bytes of its text",
                    reader->name, expected, (int)(cursor.at - text));
    return take_kind(reader, &dictionary, header, error);
}

static const char *descr_of(uint32_t maxval)
{
    if (maxval == FLOAT_SAMPLES)
        return "<f4";
    return maxval > 255 ? "<u2" : "|u1";
}

void npy_header_make(const struct shape *shape, int64_t planes, char bytes[NPY_WRITTEN_BYTES])
{
    const size_t before = NPY_MAGIC_BYTES + 4, room = NPY_WRITTEN_BYTES - before;
    char first[24] = "", channels[16] = "", *text = bytes + before;
    size_t used;

    if (planes > 0)
        snprintf(first, sizeof first, "%lld, ", (long long)planes);
    if (shape->channels > 1)
        snprintf(channels, sizeof channels, ", %d", (int)shape->channels);
    used = (size_t)snprintf(text, room,
                            "{'descr': '%s', 'fortran_order': False, 'shape': (%s%lld, %lld%s), }",
                            descr_of(shape->maxval), first, (long long)shape->height,
                            (long long)shape->width, channels);
    memset(text + used, ' ', room - used);
    text[room - 1] = '\n';
    memcpy(bytes, NPY_MAGIC "\1\0", NPY_MAGIC_BYTES + 2);
    bytes[before - 2] = (char)room;
    bytes[before - 1] = 0;
}
