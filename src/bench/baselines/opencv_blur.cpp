/* SPDX-License-Identifier: MIT */
/* What src/bench/scripts/programs.py measures as OpenCV: reads a file, GaussianBlur, writes a file.
 */
#include <cstdio>
#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

int main(int argc, char **argv)
{
    if (argc != 6) {
        std::fputs("usage: opencv_blur INPUT OUTPUT HALO THREADS PNG-LEVEL\n", stderr);
        return 2;
    }
    const int halo = std::atoi(argv[3]), taps = 2 * halo + 1;
    const cv::Mat image = cv::imread(argv[1], cv::IMREAD_UNCHANGED);
    cv::Mat blurred;

    if (image.empty()) {
        std::fprintf(stderr, "opencv_blur: %s: cannot be read\n", argv[1]);
        return 3;
    }
    cv::setNumThreads(std::atoi(argv[4]));
    cv::GaussianBlur(image, blurred, cv::Size(taps, taps), halo / 3.0, halo / 3.0,
                     cv::BORDER_REPLICATE);
    return cv::imwrite(argv[2], blurred, {cv::IMWRITE_PNG_COMPRESSION, std::atoi(argv[5])}) ? 0 : 5;
}
