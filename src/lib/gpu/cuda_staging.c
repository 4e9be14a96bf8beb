/* SPDX-License-Identifier: MIT */
/* Copies between pageable memory and the device through pinned buffers, which the device accesses
 * at the full speed of the bus. Each thread copies a band of the rows through two buffers of
 * STAGE_BYTES: while one is being transferred, the thread fills or empties the other. This also
 * spreads the page faults of a new result over the threads. Fewer than WORTHWHILE_BYTES are copied
 * without these buffers. */
#include "src/lib/gpu/cuda.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"

#include <string.h>

#ifdef SMOOTHIMG_EMULATED /* small, so that small images take every path of the code */
#define STAGE_BYTES ((int64_t)256)
#define WORTHWHILE_BYTES ((int64_t)1)
#else
#define STAGE_BYTES ((int64_t)2 << 20)
#define WORTHWHILE_BYTES ((int64_t)4 << 20)
#endif

/* The rows to copy, shared by the threads. */
struct transfer {
    struct gpu *gpu;
    const struct gpu_rows *host, *device;
    bool up;
    cudaError_t *results; /* one for each thread */
};

/* A piece that is transferred in one step: whole rows, or a part of one row. */
struct rectangle {
    int64_t row, rows;   /* 0 rows: there is no such piece */
    int64_t from, bytes; /* in each row: the piece's first byte, and its number of bytes */
};

/* Returns the k-th piece of the rows first..last-1. */
static struct rectangle piece_at(const struct transfer *transfer, int64_t first, int64_t last,
                                 int64_t k)
{
    const int64_t bytes = transfer->host->bytes;
    const int64_t columns = (bytes + STAGE_BYTES - 1) / STAGE_BYTES;
    const int64_t at_once =
        columns > 1 || transfer->device->pitch > COPY_MAX_PITCH ? 1 : STAGE_BYTES / bytes;
    const int64_t row = first + k / columns * at_once, from = k % columns * STAGE_BYTES;

    return (struct rectangle){.row = row,
                              .rows = max(min(at_once, last - row), 0),
                              .from = from,
                              .bytes = min(bytes - from, STAGE_BYTES)};
}

static char *place_of(const struct gpu_rows *rows, const struct rectangle *piece)
{
    return (char *)rows->first + piece->row * rows->pitch + piece->from;
}

/* Copies a piece between the rows on the host and the buffer, in which rows have no gaps. */
static void copy_rows(const struct transfer *transfer, const struct rectangle *piece, char *buffer)
{
    char *row = place_of(transfer->host, piece);

    for (int64_t i = 0; i < piece->rows; i++) {
        memcpy(transfer->up ? buffer : row, transfer->up ? row : buffer, (size_t)piece->bytes);
        row += transfer->host->pitch;
        buffer += piece->bytes;
    }
}

/* Starts the transfer of a piece between the device and one of the thread's buffers. */
static cudaError_t start(const struct transfer *transfer, const struct copy_thread *thread,
                         int side, const struct rectangle *piece)
{
    char *device = place_of(transfer->device, piece);
    const size_t bytes = (size_t)piece->bytes;
    const size_t pitch = piece->rows > 1 ? (size_t)transfer->device->pitch : bytes;
    const cudaError_t result =
        transfer->up
            ? cudaMemcpy2DAsync(device, pitch, thread->buffers[side], bytes, bytes,
                                (size_t)piece->rows, cudaMemcpyHostToDevice, thread->stream)
            : cudaMemcpy2DAsync(thread->buffers[side], bytes, device, pitch, bytes,
                                (size_t)piece->rows, cudaMemcpyDeviceToHost, thread->stream);

    return result == cudaSuccess ? cudaEventRecord(thread->travelled[side], thread->stream)
                                 : result;
}

/* Copies to the device. Refills a buffer when its transfer is complete. */
static cudaError_t send(const struct transfer *transfer, const struct copy_thread *thread,
                        int64_t first, int64_t last)
{
    cudaError_t result = cudaSuccess;
    struct rectangle piece;

    for (int64_t k = 0; result == cudaSuccess; k++) {
        piece = piece_at(transfer, first, last, k);
        if (piece.rows == 0)
            break;
        if (k > 1)
            result = cudaEventSynchronize(thread->travelled[k % 2]);
        if (result != cudaSuccess)
            break;
        copy_rows(transfer, &piece, thread->buffers[k % 2]);
        result = start(transfer, thread, (int)(k % 2), &piece);
    }
    return result == cudaSuccess ? cudaStreamSynchronize(thread->stream) : result;
}

/* Copies from the device. Starts the transfer of the next piece before it empties the buffer of the
 * current one. */
static cudaError_t fetch(const struct transfer *transfer, const struct copy_thread *thread,
                         int64_t first, int64_t last)
{
    struct rectangle piece = piece_at(transfer, first, last, 0), next;
    cudaError_t result = piece.rows > 0 ? start(transfer, thread, 0, &piece) : cudaSuccess;

    for (int64_t k = 0; piece.rows > 0 && result == cudaSuccess; k++, piece = next) {
        next = piece_at(transfer, first, last, k + 1);
        if (next.rows > 0)
            result = start(transfer, thread, (int)((k + 1) % 2), &next);
        if (result == cudaSuccess)
            result = cudaEventSynchronize(thread->travelled[k % 2]);
        if (result == cudaSuccess)
            copy_rows(transfer, &piece, thread->buffers[k % 2]);
    }
    return result;
}

static void transfer_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct transfer *transfer = context;
    const struct copy_thread *thread = &transfer->gpu->copy_threads[band];
    cudaError_t result = cudaSetDevice(transfer->gpu->device);

    if (result == cudaSuccess)
        result = transfer->up ? send(transfer, thread, first, last)
                              : fetch(transfer, thread, first, last);
    if (result != cudaSuccess)
        cudaStreamSynchronize(thread->stream); /* pending transfers use the buffers */
    transfer->results[band] = result;
}

static bool equip_thread(struct copy_thread *thread)
{
    cudaError_t result = cudaSuccess;

    if (!thread->stream)
        result = cudaStreamCreateWithFlags(&thread->stream, cudaStreamNonBlocking);
    for (int i = 0; i < 2 && result == cudaSuccess; i++) {
        if (!thread->travelled[i])
            result = cudaEventCreateWithFlags(&thread->travelled[i], cudaEventDisableTiming);
        if (result == cudaSuccess && !thread->buffers[i])
            result = cudaHostAlloc((void **)&thread->buffers[i], (size_t)STAGE_BYTES,
                                   cudaHostAllocDefault);
    }
    if (result != cudaSuccess)
        cudaGetLastError(); /* no failure of the copy: fewer threads, or CUDA alone, will copy */
    return result == cudaSuccess;
}

int gpu_copy_threads(struct gpu *gpu, int64_t bytes, int threads)
{
    const int wanted = (int)min(threads, MAX_COPY_THREADS);
    int ready = 0;

    if (bytes < WORTHWHILE_BYTES)
        return 0;
    while (ready < wanted && equip_thread(&gpu->copy_threads[ready]))
        ready++;
    return ready;
}

enum status gpu_staged_copy(struct gpu *gpu, const struct gpu_rows *host,
                            const struct gpu_rows *device, bool up, int threads,
                            struct error *error)
{
    cudaError_t results[MAX_COPY_THREADS] = {cudaSuccess};
    const struct transfer transfer = {gpu, host, device, up, results};
    /* Earlier work in the stream, such as a kernel, may still be using this memory. */
    enum status status =
        gpu_check(cudaStreamSynchronize(gpu->stream), "waiting for the kernel", error);

    if (status != STATUS_OK)
        return status;
    parallel_rows(threads, host->rows, transfer_band, &transfer);
    for (int i = 0; i < threads && status == STATUS_OK; i++)
        status = gpu_check(results[i], "copying an image", error);
    return status;
}

void gpu_staging_close(struct gpu *gpu)
{
    for (int i = 0; i < MAX_COPY_THREADS; i++) {
        struct copy_thread *thread = &gpu->copy_threads[i];

        for (int side = 0; side < 2; side++) {
            if (thread->travelled[side])
                cudaEventDestroy(thread->travelled[side]);
            if (thread->buffers[side])
                cudaFreeHost(thread->buffers[side]);
        }
        if (thread->stream)
            cudaStreamDestroy(thread->stream);
    }
}
