/*
 * Each pixel stands for a rectangle of places. Its brightness grows with the logarithm
 * of how full that is, its colour is the mixture of its entries' parts. Small matrices
 * are drawn with several pixels a place.
 */
#include "picture.h"

#include "tool.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 10, ROW = 16, GLYPH_W = 3, GLYPH_H = 5, ZOOM = 2 };

static const uint8_t colours[PARTS_MAX][3] = {
    {31, 119, 180},  {255, 127, 14}, {44, 160, 44},   {214, 39, 40},
    {148, 103, 189}, {140, 86, 75},  {227, 119, 194}, {127, 127, 127},
    {188, 189, 34},  {23, 190, 207}, {0, 90, 60},     {60, 40, 130}};

typedef struct image {
    int64_t width, height;
    uint8_t *rgb;
} image;

static void
put_pixel(image *im, int64_t x, int64_t y, const uint8_t *rgb)
{
    if (x >= 0 && y >= 0 && x < im->width && y < im->height)
        memcpy(im->rgb + 3 * (y * im->width + x), rgb, 3);
}

static void
fill(image *im, int64_t x, int64_t y, int64_t w, int64_t h, const uint8_t *rgb)
{
    for (int64_t v = y; v < y + h; v++)
        for (int64_t u = x; u < x + w; u++)
            put_pixel(im, u, v, rgb);
}

/* ---- Letters of 3 x 5 dots, rows from the top, bit 2 is the left dot -------------- */

static const char glyph_names[] = "abcdefghijklmnopqrstuvwxyz0123456789.,%*";
static const char *const glyphs[] = {
    /* a-z */ "25755",
    "65656",
    "34443",
    "65556",
    "74647",
    "74644",
    "34553",
    "55755",
    "72227",
    "11152",
    "55655",
    "44447",
    "57755",
    "65555",
    "25552",
    "65644",
    "25563",
    "65655",
    "34216",
    "72222",
    "55557",
    "55552",
    "55775",
    "55255",
    "55222",
    "71247",
    /* 0-9 */ "75557",
    "26227",
    "71747",
    "71717",
    "55711",
    "74717",
    "74757",
    "71122",
    "75757",
    "75717",
    /* . , % * */ "00002",
    "00024",
    "51245",
    "05250"};

static void
put_letter(image *im, int64_t x, int64_t y, char c)
{
    static const uint8_t ink[3] = {40, 40, 40};
    const char *at = c ? strchr(glyph_names, c) : NULL;
    int r, d;

    for (r = 0; at && r < GLYPH_H; r++)
        for (d = 0; d < GLYPH_W; d++)
            if ((glyphs[at - glyph_names][r] - '0') >> (GLYPH_W - 1 - d) & 1)
                fill(im, x + d * ZOOM, y + r * ZOOM, ZOOM, ZOOM, ink);
}

static void
put_words(image *im, int64_t x, int64_t y, const char *text)
{
    for (; *text; text++, x += (GLYPH_W + 1) * ZOOM)
        put_letter(im, x, y, *text);
}

/* ---- The matrix ------------------------------------------------------------------ */

typedef struct grid {
    int64_t width, height, zoom; /* cells; pixels a cell */
    float *count;                /* PARTS_MAX a cell */
} grid;

/* Cells: one a place, or fewer where the matrix is larger than edge. */
static void
make_grid(grid *g, const mm_matrix *m, const parts_map *parts, int64_t edge)
{
    const int64_t most = m->rows > m->cols ? m->rows : m->cols;
    const double shrink = most > edge ? (double)edge / (double)most : 1.0;
    int64_t i, p;

    g->width = (int64_t)fmax(1.0, ceil((double)m->cols * shrink));
    g->height = (int64_t)fmax(1.0, ceil((double)m->rows * shrink));
    g->zoom = most > 0 && most < edge ? (edge + most / 2) / most : 1;
    g->count = tool_memory(g->width * g->height * PARTS_MAX, sizeof *g->count);
    for (i = 0; i < m->rows; i++) {
        const int64_t y = i * g->height / m->rows;

        for (p = m->ptr[i]; p < m->ptr[i + 1]; p++) {
            const int64_t x =
                (int64_t)((double)m->col[p] * (double)g->width / (double)m->cols);

            g->count[(y * g->width + x) * PARTS_MAX + parts->of[p]] += 1.0f;
        }
    }
}

/* 0.35 for a single entry in a large cell, 1 for a full one. */
static double
strength(double entries, double places)
{
    const double full = log1p(places);

    return 0.35 + 0.65 * (full > 0.0 ? log1p(entries) / full : 1.0);
}

static void
cell_colour(const float *count, double places, uint8_t *rgb)
{
    double total = 0.0, mix[3] = {0}, s;
    int k, c;

    for (k = 0; k < PARTS_MAX; k++) {
        total += count[k];
        for (c = 0; c < 3; c++)
            mix[c] += count[k] * colours[k][c];
    }
    s = total > 0.0 ? fmin(1.0, strength(total, fmax(places, total))) : 0.0;
    for (c = 0; c < 3; c++)
        rgb[c] =
            (uint8_t)(255.0 - s * (255.0 - (total > 0.0 ? mix[c] / total : 255.0)));
}

static void
draw_matrix(image *im, const grid *g, const mm_matrix *m)
{
    static const uint8_t frame[3] = {160, 160, 160};
    const double places =
        (double)m->rows / (double)g->height * (double)m->cols / (double)g->width;
    const int64_t w = g->width * g->zoom, h = g->height * g->zoom;
    uint8_t rgb[3];
    int64_t x, y;

    fill(im, MARGIN - 1, MARGIN - 1, w + 2, h + 2, frame);
    for (y = 0; y < g->height; y++)
        for (x = 0; x < g->width; x++) {
            cell_colour(g->count + (y * g->width + x) * PARTS_MAX, places, rgb);
            fill(im, MARGIN + x * g->zoom, MARGIN + y * g->zoom, g->zoom, g->zoom, rgb);
        }
}

static void
draw_legend(image *im, int64_t y, const mm_matrix *m, const parts_map *parts)
{
    char line[80];
    int k;

    snprintf(line, sizeof line, "%lld * %lld, %lld entries", (long long)m->rows,
             (long long)m->cols, (long long)m->nnz);
    put_words(im, MARGIN, y, line);
    for (k = 0; k < parts->count; k++) {
        y += ROW;
        fill(im, MARGIN, y - 1, 12, 12, colours[k]);
        snprintf(line, sizeof line, "%s %.1f%%", parts->name[k],
                 m->nnz ? 100.0 * (double)parts->entries[k] / (double)m->nnz : 0.0);
        put_words(im, MARGIN + 20, y, line);
    }
}

static const char *
write_png(const char *path, const image *im)
{
    png_image png = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    static char why[96];

    png.width = (png_uint_32)im->width;
    png.height = (png_uint_32)im->height;
    if (png_image_write_to_file(&png, path, 0, im->rgb, 0, NULL))
        return NULL;
    snprintf(why, sizeof why, "%s", png.message);
    png_image_free(&png);
    return why;
}

const char *
picture_write(const char *path, const mm_matrix *m, const parts_map *parts,
              int64_t edge)
{
    image im = {0};
    const char *why;
    grid g;

    make_grid(&g, m, parts, edge);
    im.width = g.width * g.zoom + 2 * MARGIN;
    im.width = im.width < 360 ? 360 : im.width;
    im.height = g.height * g.zoom + 3 * MARGIN + ROW * (parts->count + 1);
    im.rgb = tool_memory(3 * im.width * im.height, 1);
    memset(im.rgb, 255, (size_t)(3 * im.width * im.height));
    draw_matrix(&im, &g, m);
    draw_legend(&im, g.height * g.zoom + 2 * MARGIN, m, parts);
    why = write_png(path, &im);
    free(g.count);
    free(im.rgb);
    return why;
}
