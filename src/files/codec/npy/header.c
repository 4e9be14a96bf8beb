/* SPDX-License-Identifier: MIT */
#include "src/files/codec/npy/header.h"
#include "kernels/common/numbers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPY_MAX_SIDES 8
#define SPACE " \t\n\r"

struct npy_dictionary {
    /* The sample type, such as "<u2", cut to 31 bytes; "[" for a structured type. */
    char descr[32];
    bool fortran_order;           /* the samples are stored with the first index varying fastest */
    int64_t sides[NPY_MAX_SIDES]; /* INT64_MAX also stands for larger numbers */
    int dimensions;               /* may exceed NPY_MAX_SIDES */
};

static const char *skip_space(const char *at)
{
    return at + strspn(at, SPACE);
}

/* Reads a value of the dictionary. Returns where it ends, or NULL if it is none of the expected
 * values. */
typedef const char *take_value(const char *at, struct npy_dictionary *dictionary);

/* Reads the type: a string of printable ASCII without escapes. A structured type is a list; for it
 * descr becomes "[", which take_kind() refuses. */
static const char *take_type(const char *at, struct npy_dictionary *dictionary)
{
    const char quote[] = {*at, '\0'};
    const size_t length = *at == '\'' || *at == '"' ? strcspn(at + 1, quote) : 0;

    if (*at == '[') {
        strcpy(dictionary->descr, "[");
        return at;
    }
    snprintf(dictionary->descr, sizeof dictionary->descr, "%.*s", (int)length, at + 1);
    for (const char *c = dictionary->descr; *c; c++)
        if (*c < ' ' || *c > '~')
            return NULL;
    return length > 0 && at[1 + length] == *quote ? at + length + 2 : NULL;
}

static const char *take_order(const char *at, struct npy_dictionary *dictionary)
{
    dictionary->fortran_order = strncmp(at, "True", 4) == 0;
    if (dictionary->fortran_order)
        return at + 4;
    return strncmp(at, "False", 5) == 0 ? at + 5 : NULL;
}

/* Reads a tuple of integers, such as (), (5,) or (3, 4). Python 2 may add an L to an integer. */
static const char *take_shape(const char *at, struct npy_dictionary *dictionary)
{
    bool comma = true;

    if (*at++ != '(')
        return NULL;
    for (at = skip_space(at); *at != ')'; at = skip_space(at + comma)) {
        char *end;
        const int64_t side = strtoll(at, &end, 10); /* INT64_MAX for larger numbers */

        if (!comma || !isdigit((unsigned char)*at))
            return NULL;
        if (dictionary->dimensions < NPY_MAX_SIDES)
            dictionary->sides[dictionary->dimensions] = side;
        dictionary->dimensions++;
        at = skip_space(end + (*end == 'L'));
        comma = *at == ',';
    }
    /* In Python (5) is a number, and (5,) a tuple. */
    return comma || dictionary->dimensions != 1 ? at + 1 : NULL;
}

static const struct entry {
    const char *key;
    take_value *take;
} entries[] = {{"descr", take_type}, {"fortran_order", take_order}, {"shape", take_shape}};
#define ENTRIES (sizeof entries / sizeof *entries)

/* Reads a key in quotes. Sets *entry to its index in entries[]. Returns where the key ends, or NULL
 * if it is none of them. */
static const char *take_key(const char *at, size_t *entry)
{
    for (*entry = 0; *entry < ENTRIES && (*at == '\'' || *at == '"'); ++*entry) {
        const char *key = entries[*entry].key;
        const size_t length = strlen(key);

        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == *at)
            return at + length + 2;
    }
    return NULL;
}

/* Reads the dictionary without interpreting Python: each entry once, in any order, and nothing
 * else, as NumPy demands. `text` ends with a zero byte. Stops at a structured type. */
static bool take_dictionary(const char *text, struct npy_dictionary *dictionary)
{
    const char *at = skip_space(text);
    bool taken[ENTRIES] = {false}, comma = *at == '{';

    while (comma && *(at = skip_space(at + 1)) != '}') {
        size_t entry;

        at = take_key(at, &entry);
        if (!at || taken[entry] || *(at = skip_space(at)) != ':')
            return false;
        taken[entry] = true;
        at = entries[entry].take(skip_space(at + 1), dictionary);
        if (!at || *dictionary->descr == '[')
            return at != NULL;
        at = skip_space(at);
        comma = *at == ',';
    }
    for (size_t i = 0; i < ENTRIES; i++)
        if (!taken[i])
            return false;
    return *at == '}' && *skip_space(at + 1) == '\0';
}

#define MAX_TEXT_BYTES 10000 /* NumPy's own limit */

/* The supported types, without the byte order. */
static const struct type {
    const char *name;
    uint32_t maxval;
} types[] = {{"u1", 255}, {"u2", 65535}, {"f4", FLOAT_SAMPLES}};

static const char *without_order(const char *descr)
{
    return descr + (*descr && strchr("<>|=", *descr) != NULL);
}

/* Returns the type's row of types[], or NULL if the type is not supported. */
static const struct type *type_of(const char *descr)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(without_order(descr), types[i].name) == 0)
            return &types[i];
    return NULL;
}

/* Returns STATUS_UNSUPPORTED. For booleans, integers and floats the message has a remedy: NumPy
 * converts them to f4. */
static enum status refuse_type(const struct image_reader *reader, const char *descr,
                               struct error *error)
{
    const char *name = without_order(descr);
    const char *advice =
        !*name || !strchr("biuf", *name) ? ""
        : atoi(name + 1) <= 2
            ? "; in NumPy, save array.astype(numpy.float32), which keeps every value"
            : "; in NumPy, save array.astype(numpy.float32), which rounds to 24 bits";

    return fail(error, STATUS_UNSUPPORTED,
                "%s: arrays of type '%s' are not supported; u1, u2 and f4 are%s", reader->name,
                descr, advice);
}

static enum status unsupported(const struct image_reader *reader, const char *what,
                               const char *remedy, struct error *error)
{
    return fail(error, STATUS_UNSUPPORTED, "%s: %s; in NumPy, save %s", reader->name, what, remedy);
}

/* Reads the sides of an array, in this order: planes (of a stack only), rows, columns, and channels
 * (if there is one more side). */
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
    if (!type)
        return refuse_type(reader, dictionary->descr, error);
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

/* Reads the magic number, the version, and the length of the text: 2 bytes in version 1, else 4. */
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
    char text[MAX_TEXT_BYTES + 1] = "";
    uint32_t length = 0;
    enum status status = read_length(reader, &length, error);

    if (status == STATUS_OK && length > MAX_TEXT_BYTES)
        return fail(error, STATUS_INPUT,
                    "%s: bad header: it declares %u bytes of text; up to %d are read", reader->name,
                    (unsigned)length, MAX_TEXT_BYTES);
    if (status == STATUS_OK)
        status = read_bytes(reader, text, length, error);
    if (status != STATUS_OK)
        return status;
    if (strlen(text) != length || !take_dictionary(text, &dictionary))
        return fail(error, STATUS_INPUT,
                    "%s: bad header: no dictionary of descr, fortran_order and shape, as "
                    "numpy.save writes it",
                    reader->name);
    return take_kind(reader, &dictionary, header, error);
}

static const char *descr_of(uint32_t maxval)
{
    return maxval == FLOAT_SAMPLES ? "<f4" : maxval > 255 ? "<u2" : "|u1";
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
