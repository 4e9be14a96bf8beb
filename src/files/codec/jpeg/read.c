/* SPDX-License-Identifier: MIT */
/* Reads JPEG of 8 bits, as grey or RGB. libjpeg decodes with its defaults: the exact inverse
 * transform (JDCT_ISLOW) and smooth enlargement of chroma. So djpeg gives the same samples. A
 * warning of libjpeg is an error here if samples may not be those of the file. */
#include "src/files/codec/jpeg/jpeg.h"

#include "kernels/common/numbers.h"

#include <jerror.h>
#include <string.h>

/* How many bytes libjpeg-turbo gets at a time. If it gets 512 or more, it decodes photographs a
 * third faster, but mistakes an invalid code for the end of a block, without a warning. */
#define INPUT_BYTES 511
/* Files with more scans are refused: cjpeg writes no more, and a small file with very many scans
 * would take hours. */
#define MAX_SCANS 100
#define ROWS 16                 /* maximum number of rows in a call of libjpeg */
#define DECODER_BYTES (1 << 17) /* roughly libjpeg's memory that does not grow with the image */
#define BLOCK 8                 /* a block has 8 x 8 samples */

/* How many bytes before a position in the file are 0 or 0xff. Some programs pad scans with such
 * bytes. `fill` counts the bytes 0xff directly before the position, `bytes` the padding before
 * those bytes. libjpeg's warning does not count `fill`, since a marker may begin with several bytes
 * 0xff. */
struct padding {
    size_t bytes, fill;
};

struct reading {
    struct jpeg_trouble trouble;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    struct image_reader *reader;
    bool begun;                  /* the header is complete, and decoding has begun */
    uint8_t segment[UINT16_MAX]; /* metadata that is being read */
    uint8_t input[INPUT_BYTES];
    size_t held;           /* bytes in `input` */
    struct padding before; /* the padding before `input` */

    const struct image *image; /* the target of the next rows: `count` rows, from row `to` on */
    int64_t to, count;
};

static struct reading *reading_of(j_decompress_ptr jpeg)
{
    return jpeg->client_data;
}

static void open_source(j_decompress_ptr jpeg)
{
    (void)jpeg;
}

/* Counts the padding before `end`, a position in the input. */
static struct padding padding_at(const struct reading *reading, const uint8_t *end)
{
    const struct padding before = reading->before;
    const uint8_t *fill = end, *at;

    while (fill > reading->input && fill[-1] == 0xff)
        fill--;
    if (fill == reading->input)
        return (struct padding){before.bytes, before.fill + (size_t)(end - fill)};
    for (at = fill; at > reading->input && (at[-1] == 0 || at[-1] == 0xff);)
        at--;
    return (struct padding){(size_t)(fill - at) +
                                (at == reading->input ? before.bytes + before.fill : 0),
                            (size_t)(end - fill)};
}

static bool is_padding(j_common_ptr jpeg, int count)
{
    const struct reading *reading = jpeg->client_data;

    return padding_at(reading, reading->source.next_input_byte).bytes >= (size_t)count;
}

static boolean fill_input(j_decompress_ptr jpeg)
{
    struct reading *reading = reading_of(jpeg);
    struct jpeg_trouble *trouble = &reading->trouble;

    reading->before = padding_at(reading, reading->input + reading->held);
    reading->held = fread(reading->input, 1, sizeof reading->input, reading->reader->file);
    if (reading->held == 0)
        jpeg_give_up(trouble, image_reader_short(reading->reader, trouble->where, trouble->error));
    reading->source.next_input_byte = reading->input;
    reading->source.bytes_in_buffer = reading->held;
    return TRUE;
}

/* Reads bytes of the input, or skips them if `bytes` is NULL. */
static void take_input(j_decompress_ptr jpeg, uint8_t *bytes, size_t count)
{
    struct jpeg_source_mgr *source = jpeg->src;

    while (count > 0) {
        size_t now;

        if (source->bytes_in_buffer == 0)
            fill_input(jpeg);
        now = source->bytes_in_buffer < count ? source->bytes_in_buffer : count;
        if (bytes) {
            memcpy(bytes, source->next_input_byte, now);
            bytes += now;
        }
        source->next_input_byte += now;
        source->bytes_in_buffer -= now;
        count -= now;
    }
}

static void skip_input(j_decompress_ptr jpeg, long count)
{
    if (count > 0)
        take_input(jpeg, NULL, (size_t)count);
}

/* libjpeg calls this after the marker of a metadata segment. jpeg_save_markers is not used: it
 * would keep all segments of a file, whatever the limit. For each segment, libjpeg-turbo 2.1 would
 * also walk the list of the segments kept so far, which takes minutes for 120,000 segments. */
static boolean read_segment(j_decompress_ptr jpeg)
{
    struct reading *reading = reading_of(jpeg);
    uint8_t length[2];
    size_t count;

    take_input(jpeg, length, sizeof length);
    count = (size_t)length[0] << 8 | length[1];
    if (count < sizeof length)
        ERREXIT(jpeg, JERR_BAD_LENGTH);
    count -= sizeof length;
    take_input(jpeg, reading->segment, count);
    if (reading->begun) {
        metadata_note(&reading->reader->metadata.left_out, NULL, "segments after the header");
    } else {
        const enum status status = jpeg_segment_read(
            reading->reader, jpeg->unread_marker, reading->segment, count, reading->trouble.error);

        if (status != STATUS_OK)
            jpeg_give_up(&reading->trouble, status);
    }
    jpeg->unread_marker = 0;
    return TRUE;
}

/* Reads the header. libjpeg itself reads JFIF's and Adobe's segments, APP0 and APP14, since they
 * decide on colours; read_segment() gets all other segments. */
static void read_header(void *context)
{
    struct reading *reading = context;
    j_decompress_ptr jpeg = &reading->jpeg;

    jpeg->err = &reading->trouble.manager;
    jpeg->client_data = reading;
    jpeg_create_decompress(jpeg);
    reading->source = (struct jpeg_source_mgr){.init_source = open_source,
                                               .fill_input_buffer = fill_input,
                                               .skip_input_data = skip_input,
                                               .resync_to_restart = jpeg_resync_to_restart,
                                               .term_source = open_source};
    jpeg->src = &reading->source;
    jpeg_set_marker_processor(jpeg, JPEG_COM, read_segment);
    for (int i = 1; i < 16; i++)
        if (i != 14)
            jpeg_set_marker_processor(jpeg, JPEG_APP0 + i, read_segment);
    jpeg_read_header(jpeg, TRUE);
    if (!jpeg_segments_complete(reading->reader, jpeg))
        ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
}

/* True if some component's sampling factor does not divide the highest sampling factor. */
static bool has_fractions(const struct jpeg_decompress_struct *jpeg)
{
    bool found = false;

    for (int i = 0; i < jpeg->num_components; i++)
        found |= jpeg->max_h_samp_factor % jpeg->comp_info[i].h_samp_factor != 0 ||
                 jpeg->max_v_samp_factor % jpeg->comp_info[i].v_samp_factor != 0;
    return found;
}

static enum status check_kind(const struct reading *reading, struct error *error)
{
    const struct jpeg_decompress_struct *jpeg = &reading->jpeg;
    const J_COLOR_SPACE colours = jpeg->jpeg_color_space;
    const char *kind = jpeg->arith_code           ? "JPEG with arithmetic coding"
                       : colours == JCS_CMYK      ? "JPEG with CMYK"
                       : colours == JCS_YCCK      ? "JPEG with YCCK, a form of CMYK,"
                       : colours == JCS_UNKNOWN   ? "JPEG with unknown colours"
                       : jpeg->data_precision > 8 ? "JPEG of more than 8 bits"
                       : has_fractions(jpeg)      ? "JPEG with fractional sampling"
                                                  : NULL;

    return kind ? jpeg_refuse(reading->reader->name, kind, error) : STATUS_OK;
}

/* Returns the number of blocks of all components, divided by the number of the image's rows. Each
 * block takes at least one bit in the file, for its first coefficient. */
static double min_bits_per_row(const struct jpeg_decompress_struct *jpeg)
{
    double blocks = 0;

    for (int i = 0; i < jpeg->num_components; i++)
        blocks += (double)jpeg->comp_info[i].width_in_blocks * jpeg->comp_info[i].height_in_blocks;
    return blocks / jpeg->image_height;
}

/* Returns about how many bytes of memory libjpeg and this reader need to decode an image. For
 * each component libjpeg keeps a row of blocks and four rows of samples beside it. If the file has
 * several scans, libjpeg also keeps all coefficients. */
static int64_t bytes_of(struct jpeg_decompress_struct *jpeg)
{
    const int64_t rows = jpeg->max_v_samp_factor * (BLOCK + 4), width = jpeg->image_width;
    int64_t bytes = DECODER_BYTES + INPUT_BYTES + rows * (width + 32) * jpeg->num_components;

    for (int i = 0; i < jpeg->num_components && jpeg_has_multiple_scans(jpeg); i++) {
        const jpeg_component_info *part = &jpeg->comp_info[i];

        bytes += ((int64_t)part->width_in_blocks + part->h_samp_factor) *
                 ((int64_t)part->height_in_blocks + part->v_samp_factor) * (int64_t)sizeof(JBLOCK);
    }
    return bytes;
}

/* Moves a regular file's position back over the bytes that were read ahead, to the first sample:
 * image_reader_check_header() then finds how many bytes follow. */
static void rewind_input(struct reading *reading)
{
    if (reading->reader->file_bytes >= 0 &&
        fseeko(reading->reader->file, -(off_t)reading->source.bytes_in_buffer, SEEK_CUR) == 0)
        reading->held = reading->source.bytes_in_buffer = 0;
}

static enum status check_header(struct reading *reading, struct image *header, struct error *error)
{
    struct jpeg_decompress_struct *jpeg = &reading->jpeg;
    const bool grey = jpeg->jpeg_color_space == JCS_GRAYSCALE;
    const struct shape shape = {
        .width = jpeg->image_width,
        .height = jpeg->image_height,
        .channels = grey ? 1 : 3,
        .maxval = 255,
    };
    enum status status = check_kind(reading, error);

    rewind_input(reading);
    if (status == STATUS_OK)
        status = image_reader_check_header(reading->reader, &shape, min_bits_per_row(jpeg), error);
    if (status != STATUS_OK)
        return status;
    jpeg->do_block_smoothing = FALSE; /* libjpeg must not invent samples that are in no scan */
    jpeg->out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    image_lay_out(header, &shape);
    header->format = FORMAT_JPEG;
    reading->reader->order = ROWS_IN_ORDER;
    reading->reader->bytes = bytes_of(jpeg);
    return STATUS_OK;
}

static enum status open_jpeg(struct image_reader *reader, struct image *header, struct error *error)
{
    struct reading *reading = reader->reading;
    enum status status;

    reading->reader = reader;
    jpeg_trouble_open(&reading->trouble, reader->name, STATUS_INPUT);
    reading->trouble.warnings = &reader->metadata.faults;
    strcpy(reading->trouble.where, "the header");
    status = jpeg_try(&reading->trouble, read_header, reading, error);
    return status == STATUS_OK ? check_header(reading, header, error) : status;
}

static void say_row(struct reading *reading)
{
    snprintf(reading->trouble.where, sizeof reading->trouble.where, "row %u of %u",
             reading->jpeg.output_scanline + 1, reading->jpeg.image_height);
}

/* libjpeg calls this function while it reads all scans, before it returns the first row. */
static void watch_scans(j_common_ptr common)
{
    j_decompress_ptr jpeg = (j_decompress_ptr)common;
    struct reading *reading = reading_of(jpeg);
    struct jpeg_trouble *trouble = &reading->trouble;

    snprintf(trouble->where, sizeof trouble->where, "scan %d", jpeg->input_scan_number);
    if (jpeg->input_scan_number > MAX_SCANS)
        jpeg_give_up(trouble, fail(trouble->error, STATUS_UNSUPPORTED,
                                   "%s: JPEG of more than %d scans is not supported; convert it "
                                   "first, for example with jpegtran",
                                   trouble->name, MAX_SCANS));
}

/* True if some scan contains the component. In a progressive file the scans must also contain all
 * bits of its coefficients. */
static bool is_complete(const struct jpeg_decompress_struct *jpeg, int component)
{
    bool complete = jpeg->comp_info[component].quant_table != NULL;

    for (int i = 0; i < DCTSIZE2 && jpeg->coef_bits; i++)
        complete = complete && jpeg->coef_bits[component][i] == 0;
    return complete;
}

/* Checks, when the headers of all scans have been read, that no component is missing: libjpeg would
 * fill a missing one with grey. */
static void demand_all(struct reading *reading)
{
    struct jpeg_trouble *trouble = &reading->trouble;

    for (int i = 0; i < reading->jpeg.num_components; i++)
        if (!is_complete(&reading->jpeg, i))
            jpeg_give_up(trouble, fail(trouble->error, STATUS_INPUT,
                                       "%s: damaged: the scans lack %scomponent %d of %d",
                                       trouble->name, reading->jpeg.coef_bits ? "bits of " : "",
                                       i + 1, reading->jpeg.num_components));
}

static void begin_rows(struct reading *reading)
{
    j_decompress_ptr jpeg = &reading->jpeg;

    reading->begun = true;
    reading->trouble.is_padding = is_padding;
    say_row(reading);
    if (jpeg_has_multiple_scans(jpeg)) {
        strcpy(reading->trouble.where, "scan 1");
        reading->progress.progress_monitor = watch_scans;
        jpeg->progress = &reading->progress;
    }
    jpeg_start_decompress(jpeg);
    jpeg->progress = NULL;
    demand_all(reading);
}

static void read_rows(void *context)
{
    struct reading *reading = context;
    int64_t done = 0;

    if (!reading->begun)
        begin_rows(reading);
    while (done < reading->count) {
        const int64_t now = min(reading->count - done, ROWS);
        JSAMPROW rows[ROWS];

        for (int64_t i = 0; i < now; i++)
            rows[i] = image_row(reading->image, reading->to + done + i);
        say_row(reading);
        done += jpeg_read_scanlines(&reading->jpeg, rows, (JDIMENSION)now);
    }
}

static enum status read_jpeg(const struct image_reader *reader, int64_t first, int64_t count,
                             const struct image *image, int64_t to, struct error *error)
{
    struct reading *reading = reader->reading;

    (void)first;
    reading->image = image;
    reading->to = to;
    reading->count = count;
    return jpeg_try(&reading->trouble, read_rows, reading, error);
}

static void finish(void *context)
{
    struct reading *reading = context;

    strcpy(reading->trouble.where, "what follows the last row");
    jpeg_finish_decompress(&reading->jpeg);
}

/* Notes bytes that follow the image. Cameras append pictures, such as a preview. These pictures
 * show the image before the operations, so the output does not get them. */
static void note_rest(struct reading *reading)
{
    struct image_reader *reader = reading->reader;
    unsigned char head[FORMAT_HEAD_BYTES];
    size_t bytes = (size_t)min((int64_t)reading->source.bytes_in_buffer, FORMAT_HEAD_BYTES);

    if (bytes > 0)
        memcpy(head, reading->source.next_input_byte, bytes);
    else
        bytes = image_reader_peek(reader, head);
    if (codec_find(head, bytes) == &codec_jpeg)
        metadata_note(&reader->metadata.left_out, NULL, "pictures after the first one");
    else if (bytes > 0)
        metadata_note(&reader->metadata.left_out, NULL, "bytes after the end");
}

static enum status finish_jpeg(struct image_reader *reader, struct error *error)
{
    struct reading *reading = reader->reading;
    const enum status status = jpeg_try(&reading->trouble, finish, reading, error);

    if (status == STATUS_OK)
        note_rest(reading);
    return status;
}

static void drop_jpeg(void *state)
{
    jpeg_destroy_decompress(&((struct reading *)state)->jpeg);
}

/* Returns the version of libjpeg-turbo with which this program was compiled, since the library does
 * not report its version at run time. */
static const char *version(void)
{
#define WORDS(NUMBER) #NUMBER
#define TEXT(NUMBER) WORDS(NUMBER)
    return TEXT(LIBJPEG_TURBO_VERSION);
}

const struct codec codec_jpeg = {
    .magics = {"\xff\xd8\xff"},
    .magic_bytes = 3,
    .version = version,
    .reading_bytes = sizeof(struct reading),
    .open = open_jpeg,
    .read = read_jpeg,
    .finish = finish_jpeg,
    .drop = drop_jpeg,
    .encoder = &jpeg_encoder,
};
