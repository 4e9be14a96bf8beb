/* SPDX-License-Identifier: MIT */
/* OpenCV's functions as variants. GaussianBlur of 8-bit samples is its bit-exact path in Q8.8. */
#include "src/bench/baselines/baselines.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

static cv::Mat mat(const view &view)
{
    const int depth = view.sample_bytes == 4 ? CV_32F : view.sample_bytes == 2 ? CV_16U : CV_8U;

    return cv::Mat((int)view.height, (int)view.width, CV_MAKETYPE(depth, view.channels),
                   view.origin, (size_t)view.stride_bytes);
}

static const char *refuses(const job *job)
{
    const int64_t most = INT32_MAX;

    if (job->src.channels > 4)
        return "OpenCV takes up to 4 channels here";
    if (job->src.width > most || job->src.height > most)
        return "OpenCV counts in 32 bits";
    return NULL;
}

static const char *refuses_smooth(const job *job)
{
    if (job->halo_x == 0 || job->halo_y == 0)
        return "OpenCV has no filter of one tap";
    if (job->weighted)
        return "OpenCV has no colours that alpha weighs";
    return refuses(job);
}

/* Runs work(src, dst). Returns NULL, or OpenCV's exception as a sentence. */
template <typename Work> static const char *guarded(const job *job, Work work)
{
    static char message[256];

    try {
        cv::Mat src = mat(job->src), dst = mat(job->dst);
        const void *before = dst.data;

        cv::setNumThreads(job->threads);
        work(src, dst);
        return dst.data == before ? NULL : "OpenCV wrote its result elsewhere";
    } catch (const std::exception &fault) {
        snprintf(message, sizeof message, "%s", fault.what());
        return message;
    }
}

static const char *smooth(const job *job)
{
    const cv::Size taps((int)(2 * job->halo_x + 1), (int)(2 * job->halo_y + 1));
    const double sigma_x = (double)job->halo_x / 3, sigma_y = (double)job->halo_y / 3;

    return guarded(job, [=](const cv::Mat &src, cv::Mat &dst) {
        cv::GaussianBlur(src, dst, taps, sigma_x, sigma_y, cv::BORDER_REPLICATE);
    });
}

static const char *transpose(const job *job)
{
    return guarded(job, [](const cv::Mat &src, cv::Mat &dst) { cv::transpose(src, dst); });
}

static const char *reverse(const job *job)
{
    return guarded(job, [](const cv::Mat &src, cv::Mat &dst) { cv::flip(src, dst, -1); });
}

const char *opencv_version(void)
{
    static const cv::String version = cv::getVersionString();

    return version.c_str();
}

/* Members that are not set here stay zero, also those that are added to struct variant later. */
static constexpr struct variant row(enum op op, const char *about,
                                    const char *(*refusal)(const job *),
                                    const char *(*run)(const job *))
{
    struct variant variant = {};

    variant.op = op;
    variant.name = "opencv";
    variant.backend = ON_CPU;
    variant.description = about;
    variant.refuses = refusal;
    variant.run = run;
    return variant;
}

const struct variant opencv_smooth = row(OP_SMOOTH, "cv::GaussianBlur", refuses_smooth, smooth);
const struct variant opencv_transpose = row(OP_TRANSPOSE, "cv::transpose", refuses, transpose);
const struct variant opencv_reverse = row(OP_REVERSE, "cv::flip", refuses, reverse);
