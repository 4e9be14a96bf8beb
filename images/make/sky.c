/* SPDX-License-Identifier: MIT */
/* Paints a picture like a deep-field photograph, with integers: stars, tilted galaxies, a sky glow,
 * and noise. */
#include <stdlib.h>

#include "images/make/light.h"
#include "images/make/make_images.h"

static const struct direction directions[] = {
    {1, 0, 1},    {12, 5, 13},  {15, 8, 17}, {4, 3, 5},     {20, 21, 29},
    {3, 4, 5},    {8, 15, 17},  {5, 12, 13}, {0, 1, 1},     {-5, 12, 13},
    {-8, 15, 17}, {-3, 4, 5},   {-4, 3, 5},  {-20, 21, 29}, {-15, 8, 17},
    {-12, 5, 13}, {-24, 7, 25}, {24, 7, 25}, {-7, 24, 25},  {7, 24, 25},
};
enum { DIRECTIONS = sizeof directions / sizeof directions[0] };

/* A galaxy, with position and radii in 16ths of a pixel, and peaks of brightness in grey levels of
 * 8 bits. `turn` is an index of directions. */
struct galaxy {
    int x, y, turn, flatness;
    int bulge_radius, bulge_peak, disc_radius, disc_peak;
    int arms; /* 0 for an elliptical galaxy */
};

/* Adds spiral arms. A point that is rotated and scaled a little in each step follows a logarithmic
 * spiral. At the point of each step there is a faint spot, tilted like the galaxy. */
static void add_arms(struct sky *sky, const struct pose *pose, const struct galaxy *galaxy)
{
    for (int arm = 0; arm < galaxy->arms; arm++) {
        const int sign = arm % 2 ? -1 : 1;
        int64_t x = sign * (int64_t)galaxy->disc_radius * 300, y = 0;
        for (int step = 0; step < 170; step++) {
            const int64_t grown = x + (x - 5 * y) / 128;
            y = y + (y + 5 * x) / 128;
            x = grown;
            const int wobble = galaxy->disc_radius / 5 + 1;
            const int64_t u = x / 512 + random_below(sky, 2 * wobble) - wobble;
            const int64_t v =
                (y / 512 + random_below(sky, 2 * wobble) - wobble) * pose->flatness / 16;
            struct pose knot = *pose;
            knot.x += (int)((u * pose->turn.x - v * pose->turn.y) / pose->turn.length);
            knot.y += (int)((u * pose->turn.y + v * pose->turn.x) / pose->turn.length);
            const int64_t peak = (int64_t)galaxy->disc_peak * LEVEL / 10;
            const int size =
                galaxy->disc_radius / 8 + random_below(sky, galaxy->disc_radius / 5 + 1);
            add_spot(sky, &knot, GAUSSIAN, size + 8, fade(peak, (int64_t)step << 9));
        }
    }
}

static void add_galaxy(struct sky *sky, const struct galaxy *galaxy)
{
    const struct pose pose = {galaxy->x, galaxy->y, directions[galaxy->turn], galaxy->flatness};
    const struct pose bulge = {pose.x, pose.y, pose.turn, (pose.flatness + 16) / 2};
    add_spot(sky, &pose, EXPONENTIAL, galaxy->disc_radius, (int64_t)galaxy->disc_peak * LEVEL);
    add_spot(sky, &bulge, EXPONENTIAL, galaxy->bulge_radius, (int64_t)galaxy->bulge_peak * LEVEL);
    add_arms(sky, &pose, galaxy);
}

/* Adds a star: a blurred point, and if it is bright a glow and four diffraction spikes. */
static void add_star(struct sky *sky, int x, int y, int64_t peak)
{
    const struct pose round = {x, y, directions[0], 16};
    add_spot(sky, &round, GAUSSIAN, 20, peak);
    if (peak < 600 * LEVEL)
        return;
    const int size = (int)square_root(peak / LEVEL);
    add_spot(sky, &round, EXPONENTIAL, 10 + size / 2, peak / 12);
    for (int spike = 2; spike <= 10; spike += 8) {
        const struct pose thin = {x, y, directions[spike], 1};
        add_spot(sky, &thin, EXPONENTIAL, size * 2, peak / 3);
    }
}

/* Returns a random brightness. As with real stars, the number of stars brighter than b is about
 * proportional to 1 / b. */
static int64_t random_peak(struct sky *sky, int faintest, int brightest)
{
    const int64_t peak = ((int64_t)faintest * LEVEL << 10) / (1 + random_below(sky, 1024));
    return peak < (int64_t)brightest * LEVEL ? peak : (int64_t)brightest * LEVEL;
}

static void scatter(struct sky *sky, int stars, int faint_galaxies)
{
    const int width = sky->width * PIXEL, height = sky->height * PIXEL;
    for (int i = 0; i < faint_galaxies; i++) {
        /* One statement for each number, since C does not define the order of the calls in an
         * initialiser. */
        struct galaxy galaxy = {.bulge_radius = 12};
        galaxy.x = random_below(sky, width);
        galaxy.y = random_below(sky, height);
        galaxy.turn = random_below(sky, DIRECTIONS);
        galaxy.flatness = 4 + random_below(sky, 12);
        galaxy.disc_radius = 14 + random_below(sky, 26);
        galaxy.disc_peak = (int)(random_peak(sky, 14, 150) / LEVEL);
        galaxy.bulge_peak = galaxy.disc_peak;
        add_galaxy(sky, &galaxy);
    }
    for (int i = 0; i < stars; i++) {
        const int x = random_below(sky, width);
        const int y = random_below(sky, height);
        const int64_t peak = random_peak(sky, 10, 500);
        add_star(sky, x, y, peak);
    }
}

/* Adds a glow that grows towards one corner, and noise whose standard deviation is proportional to
 * the square root of the light, as with photons. */
static void expose(struct sky *sky)
{
    for (int r = 0; r < sky->height; r++) {
        for (int c = 0; c < sky->width; c++) {
            int64_t *light = &sky->light[(size_t)r * (size_t)sky->width + (size_t)c];
            *light +=
                (int64_t)LEVEL * (9 * sky->width + 4 * c + 3 * (sky->height - r)) / sky->width;
            const int64_t deviation = square_root(*light * LEVEL);
            *light += random_normal(sky) * deviation / LEVEL;
        }
    }
}

/* Writes the sky as PGM and frees its light. `unit` is the light that adds 1 to a sample. */
static bool develop(FILE *file, struct sky *sky, int maxval, int64_t unit)
{
    struct raster image = new_raster(sky->width, sky->height, 1, maxval);
    const size_t count = (size_t)sky->width * (size_t)sky->height;
    for (size_t i = 0; image.samples && i < count; i++) {
        const int64_t sample = sky->light[i] < 0 ? 0 : sky->light[i] / unit;
        image.samples[i] = (uint16_t)(sample < maxval ? sample : maxval);
    }
    const bool done = write_pgm(file, &image);
    free(image.samples);
    free(sky->light);
    return done;
}

static struct sky new_sky(int width, int height, uint64_t seed)
{
    const size_t count = (size_t)width * (size_t)height;
    return (struct sky){width, height, calloc(count, sizeof(int64_t)), seed};
}

bool paint_starfield(FILE *file)
{
    static const struct galaxy galaxies[] = {
        /* x, y, turn, flatness, bulge radius and peak, disc radius and peak, arms */
        {880 * PIXEL, 400 * PIXEL, 3, 11, 56, 190, 400, 75, 2},
        {270 * PIXEL, 880 * PIXEL, 12, 13, 40, 170, 290, 70, 2},
        {1060 * PIXEL, 1010 * PIXEL, 16, 6, 34, 150, 230, 75, 2},
        {330 * PIXEL, 260 * PIXEL, 2, 3, 40, 190, 220, 110, 0},
        {690 * PIXEL, 760 * PIXEL, 10, 12, 70, 240, 190, 70, 0},
        {760 * PIXEL, 820 * PIXEL, 5, 13, 40, 180, 80, 50, 0},
        {120 * PIXEL, 520 * PIXEL, 14, 5, 24, 160, 90, 70, 0},
        {560 * PIXEL, 1120 * PIXEL, 6, 4, 24, 140, 100, 60, 0},
        {1160 * PIXEL, 150 * PIXEL, 9, 12, 44, 200, 90, 40, 0},
        {600 * PIXEL, 120 * PIXEL, 18, 9, 24, 140, 70, 60, 0},
        {480 * PIXEL, 560 * PIXEL, 1, 10, 30, 150, 60, 60, 0},
        {1190 * PIXEL, 700 * PIXEL, 7, 7, 26, 150, 70, 60, 0},
    };
    struct sky sky = new_sky(1280, 1280, 20);
    if (!sky.light)
        return false;
    for (size_t i = 0; i < sizeof galaxies / sizeof galaxies[0]; i++)
        add_galaxy(&sky, &galaxies[i]);
    scatter(&sky, 420, 1300);
    add_star(&sky, 508 * PIXEL + 5, 372 * PIXEL + 9, 5000 * LEVEL);
    add_star(&sky, 930 * PIXEL + 3, 1166 * PIXEL + 2, 2600 * LEVEL);
    add_star(&sky, 96 * PIXEL + 11, 1088 * PIXEL + 7, 1400 * LEVEL);
    add_star(&sky, 1010 * PIXEL, 640 * PIXEL + 7, 1100 * LEVEL);
    add_star(&sky, 190 * PIXEL, 90 * PIXEL, 900 * LEVEL);
    expose(&sky);
    return develop(file, &sky, 255, LEVEL);
}

bool paint_starfield16(FILE *file)
{
    static const struct galaxy galaxies[] = {
        {206 * PIXEL, 122 * PIXEL, 12, 9, 30, 180, 200, 75, 2},
        {80 * PIXEL, 236 * PIXEL, 3, 4, 24, 180, 80, 80, 0},
    };
    struct sky sky = new_sky(320, 320, 16);
    if (!sky.light)
        return false;
    for (size_t i = 0; i < sizeof galaxies / sizeof galaxies[0]; i++)
        add_galaxy(&sky, &galaxies[i]);
    scatter(&sky, 40, 70);
    add_star(&sky, 92 * PIXEL + 5, 70 * PIXEL + 9, 1500 * LEVEL);
    expose(&sky);
    return develop(file, &sky, 65535, LEVEL / 256);
}
