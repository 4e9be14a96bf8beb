/* SPDX-License-Identifier: MIT */
/* Copies between the memory of images and the device by way of pinned buffers, which the device
 * reads and writes at the full speed of the bus. Several threads do it, each with a band of the
 * rows and two buffers: while one of them travels, the other is filled or emptied. That also shares
 * the page faults of a new result among the threads. */
#include "gpu_cuda.h"
#include "parallel.h"

#include <stdlib.h>
#include <string.h>

#ifdef SMOOTHIMG_EMULATED /* small, so that small images go all of the ways */
#define STAGE_BYTES ((int64_t)256)
#define WORTHWHILE_BYTES ((int64_t)1)
#else
#define STAGE_BYTES ((int64_t)2 << 20)
#define WORTHWHILE_BYTES ((int64_t)4 << 20)
#endif

/* One rectangle on its way. */
struct transfer {
    struct gpu *gpu;
    const struct plane *host, *device;
    bool up;
    cudaError_t *results; /* one for each lane */
};

/* What travels at once: whole rows, or a part of one. */
struct piece {
    int64_t row, rows; /* no rows: there is no such piece */
    int64_t from, bytes;
};

/* Piece number k of the rows first..last-1. */
static struct piece piece_at(const struct transfer *transfer, int64_t first, int64_t last,
                             int64_t k)
{
    const int64_t bytes = plane_row_bytes(transfer->host);
    const int64_t columns = (bytes + STAGE_BYTES - 1) / STAGE_BYTES;
    const int64_t at_once = columns > 1 || transfer->device->view.stride_bytes > COPY_MAX_PITCH
                                ? 1
                                : STAGE_BYTES / bytes;
    struct piece piece = {.row = first + k / columns * at_once,
                          .rows = at_once,
                          .from = k % columns * STAGE_BYTES,
                          .bytes = bytes};

    if (piece.row + piece.rows > last)
        piece.rows = last > piece.row ? last - piece.row : 0;
    if (columns > 1)
        piece.bytes = bytes - piece.from < STAGE_BYTES ? bytes - piece.from : STAGE_BYTES;
    return piece;
}

static char *place_of(const struct plane *plane, const struct piece *piece)
{
    return plane_corner(plane) + piece->row * plane->view.stride_bytes + piece->from;
}

/* Between the image and the buffer, where the rows lie without gaps. */
static void pack(const struct plane *host, const struct piece *piece, char *buffer)
{
    for (int64_t i = 0; i < piece->rows; i++)
        memcpy(buffer + i * piece->bytes, place_of(host, piece) + i * host->view.stride_bytes,
               (size_t)piece->bytes);
}

static void unpack(const struct plane *host, const struct piece *piece, const char *buffer)
{
    for (int64_t i = 0; i < piece->rows; i++)
        memcpy(place_of(host, piece) + i * host->view.stride_bytes, buffer + i * piece->bytes,
               (size_t)piece->bytes);
}

/* Starts the way of a piece between the device and one of the lane's buffers. */
static cudaError_t start(const struct transfer *transfer, const struct lane *lane, int side,
                         const struct piece *piece)
{
    char *device = place_of(transfer->device, piece);
    const size_t bytes = (size_t)piece->bytes;
    const size_t pitch = piece->rows > 1 ? (size_t)transfer->device->view.stride_bytes : bytes;
    const cudaError_t result =
        transfer->up ? cudaMemcpy2DAsync(device, pitch, lane->buffers[side], bytes, bytes,
                                         (size_t)piece->rows, cudaMemcpyHostToDevice, lane->stream)
                     : cudaMemcpy2DAsync(lane->buffers[side], bytes, device, pitch, bytes,
                                         (size_t)piece->rows, cudaMemcpyDeviceToHost, lane->stream);

    return result == cudaSuccess ? cudaEventRecord(lane->travelled[side], lane->stream) : result;
}

/* A buffer is filled once it has travelled. */
static cudaError_t send(const struct transfer *transfer, const struct lane *lane, int64_t first,
                        int64_t last)
{
    cudaError_t result = cudaSuccess;
    struct piece piece;

    for (int64_t k = 0; result == cudaSuccess; k++) {
        piece = piece_at(transfer, first, last, k);
        if (piece.rows == 0)
            break;
        if (k > 1)
            result = cudaEventSynchronize(lane->travelled[k % 2]);
        if (result != cudaSuccess)
            break;
        pack(transfer->host, &piece, lane->buffers[k % 2]);
        result = start(transfer, lane, (int)(k % 2), &piece);
    }
    return result == cudaSuccess ? cudaStreamSynchronize(lane->stream) : result;
}

/* The next piece is asked for before the one that has come is emptied. */
static cudaError_t fetch(const struct transfer *transfer, const struct lane *lane, int64_t first,
                         int64_t last)
{
    struct piece piece = piece_at(transfer, first, last, 0), next;
    cudaError_t result = piece.rows > 0 ? start(transfer, lane, 0, &piece) : cudaSuccess;

    for (int64_t k = 0; piece.rows > 0 && result == cudaSuccess; k++, piece = next) {
        next = piece_at(transfer, first, last, k + 1);
        if (next.rows > 0)
            result = start(transfer, lane, (int)((k + 1) % 2), &next);
        if (result == cudaSuccess)
            result = cudaEventSynchronize(lane->travelled[k % 2]);
        if (result == cudaSuccess)
            unpack(transfer->host, &piece, lane->buffers[k % 2]);
    }
    return result;
}

static void transfer_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct transfer *transfer = context;
    const struct lane *lane = &transfer->gpu->lanes[band];
    cudaError_t result = cudaSetDevice(transfer->gpu->device);

    if (result == cudaSuccess)
        result =
            transfer->up ? send(transfer, lane, first, last) : fetch(transfer, lane, first, last);
    transfer->results[band] = result;
}

static bool equip_lane(struct lane *lane)
{
    cudaError_t result = cudaSuccess;

    if (!lane->stream)
        result = cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking);
    for (int i = 0; i < 2 && result == cudaSuccess; i++) {
        if (!lane->travelled[i])
            result = cudaEventCreateWithFlags(&lane->travelled[i], cudaEventDisableTiming);
        if (result == cudaSuccess && !lane->buffers[i])
            result = cudaHostAlloc((void **)&lane->buffers[i], (size_t)STAGE_BYTES,
                                   cudaHostAllocDefault);
    }
    if (result != cudaSuccess)
        cudaGetLastError(); /* there are other ways */
    return result == cudaSuccess;
}

int gpu_staging_lanes(struct gpu *gpu, int64_t bytes, int threads)
{
    const int wanted = threads < GPU_LANES ? threads : GPU_LANES;
    const char *word = getenv("SMOOTHIMG_GPU_COPY");
    int lanes = 0;

    if (bytes < WORTHWHILE_BYTES || (word && strcmp(word, "pageable") == 0))
        return 0;
    while (lanes < wanted && equip_lane(&gpu->lanes[lanes]))
        lanes++;
    return lanes;
}

enum status gpu_staged_copy(struct gpu *gpu, const struct plane *host, const struct plane *device,
                            bool up, int lanes, struct error *error)
{
    cudaError_t results[GPU_LANES] = {cudaSuccess};
    const struct transfer transfer = {gpu, host, device, up, results};
    /* What was begun before, on the other stream: the clearing of memory, or the kernel. */
    enum status status =
        gpu_check(cudaStreamSynchronize(gpu->stream), "waiting for the kernel", error);

    if (status != STATUS_OK)
        return status;
    parallel_rows(lanes, plane_rows(host), transfer_band, &transfer);
    for (int i = 0; i < lanes && status == STATUS_OK; i++)
        status = gpu_check(results[i], "copying an image", error);
    return status;
}

void gpu_staging_close(struct gpu *gpu)
{
    for (int i = 0; i < GPU_LANES; i++) {
        struct lane *lane = &gpu->lanes[i];

        for (int side = 0; side < 2; side++) {
            if (lane->travelled[side])
                cudaEventDestroy(lane->travelled[side]);
            if (lane->buffers[side])
                cudaFreeHost(lane->buffers[side]);
        }
        if (lane->stream)
            cudaStreamDestroy(lane->stream);
    }
}
