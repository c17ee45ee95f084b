/* tensor_png.c - a picture as the input of a model. */
#include "tvmc.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PIXELS = 1 << 27 };

/* Interleaved pixels, 0 to 255. */
typedef struct picture {
  int64_t height, width, channels;
  float *pixels;
} picture;

/* Where an input keeps its axes. */
typedef struct layout {
  int64_t height, width, channels;
  bool channels_last;
} layout;

bool get_image_options(const arguments *args, image_options *out, failure *f) {
  *out = (image_options){.scale = 1.0 / 255, .deviation = {1, 1, 1}};
  double scale[1];
  size_t scales = 0, means = 0, deviations = 0;
  if (!get_numbers(args, "--scale", 1, scale, &scales, f) ||
      !get_numbers(args, "--mean", 3, out->mean, &means, f) ||
      !get_numbers(args, "--std", 3, out->deviation, &deviations, f))
    return false;
  if (means == 2 || deviations == 2)
    return fail(f, "'%s' expects one or three numbers, got two",
                means == 2 ? "--mean" : "--std");
  for (size_t i = 1; i < 3; i++) {
    out->mean[i] = means == 1 ? out->mean[0] : out->mean[i];
    out->deviation[i] = deviations == 1 ? out->deviation[0] : out->deviation[i];
  }
  for (size_t i = 0; i < 3; i++)
    if (out->deviation[i] == 0)
      return fail(f, "'--std' expects numbers other than zero");
  out->scale = scales ? scale[0] : out->scale;
  out->given = scales || means || deviations;
  return true;
}

static bool find_layout(layout *out, int32_t rank, const int64_t *shape) {
  if (rank == 4 && shape[0] != 1)
    return false;
  const int64_t *s = shape + (rank == 4);
  if (rank == 2)
    *out = (layout){s[0], s[1], 1, false};
  else if (rank < 2 || rank > 4)
    return false;
  else if (s[0] == 1 || s[0] == 3)
    *out = (layout){s[1], s[2], s[0], false};
  else if (s[2] == 1 || s[2] == 3)
    *out = (layout){s[0], s[1], s[2], true};
  else
    return false;
  return out->height > 0 && out->width > 0 && out->height <= MAX_PIXELS &&
         out->width <= MAX_PIXELS;
}

/* Transparent pixels are drawn on white. */
static bool read_picture(picture *out, const char *path, int64_t channels,
                         failure *f) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  file_bytes file;
  if (!file_map(&file, path, f))
    return false;
  bool ok = false;
  uint8_t *bytes = NULL;
  const void *data = file.data ? (const void *)file.data : "";
  if (!png_image_begin_read_from_memory(&image, data, file.size)) {
    fail(f, "'%s' is no PNG picture: %s", path, image.message);
    goto end;
  }
  if ((uint64_t)image.width * image.height > MAX_PIXELS) {
    fail(f, "'%s' expects at most %d pixels, got %ux%u", path, MAX_PIXELS,
         image.width, image.height);
    goto end;
  }
  image.format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  size_t count = PNG_IMAGE_SIZE(image);
  bytes = malloc(count);
  *out = (picture){image.height, image.width, channels,
                   malloc(count * sizeof(float))};
  png_color white = {255, 255, 255};
  if (!bytes || !out->pixels)
    fail(f, "'%s': no memory for %ux%u pixels", path, image.width,
         image.height);
  else if (!png_image_finish_read(&image, &white, bytes, 0, NULL))
    fail(f, "cannot read '%s': %s", path, image.message);
  else
    ok = true;
  for (size_t i = 0; ok && i < count; i++)
    out->pixels[i] = bytes[i];
end:
  png_image_free(&image);
  free(bytes);
  file_unmap(&file);
  return ok;
}

/* Scale rows of `inner` numbers: `outer` times `from` rows become `to`. A
 * triangle as wide as a pixel of the coarser side: bilinear when it grows, the
 * weighted mean of the covered pixels when it shrinks. */
static void resize_axis(const float *in, float *out, int64_t outer,
                        int64_t from, int64_t to, int64_t inner) {
  double ratio = (double)from / (double)to;
  double support = ratio > 1 ? ratio : 1;
  for (int64_t i = 0; i < to; i++) {
    double center = ((double)i + 0.5) * ratio - 0.5;
    int64_t begin = (int64_t)ceil(center - support);
    int64_t end = (int64_t)floor(center + support) + 1;
    begin = begin < 0 ? 0 : begin;
    end = end > from ? from : end;
    double sum = 0;
    for (int64_t k = begin; k < end; k++)
      sum += fmax(0, 1 - fabs((double)k - center) / support);
    for (int64_t o = 0; o < outer; o++) {
      float *row = out + (o * to + i) * inner;
      memset(row, 0, (size_t)inner * sizeof *row);
      for (int64_t k = begin; k < end; k++) {
        double weight = fmax(0, 1 - fabs((double)k - center) / support) / sum;
        const float *source = in + (o * from + k) * inner;
        for (int64_t n = 0; n < inner; n++)
          row[n] += (float)weight * source[n];
      }
    }
  }
}

static bool resize(picture *p, int64_t height, int64_t width, failure *f) {
  if (p->height == height && p->width == width)
    return true;
  int64_t c = p->channels;
  float *tall = malloc((size_t)(height * p->width * c) * sizeof *tall);
  float *both = malloc((size_t)(height * width * c) * sizeof *both);
  bool ok = tall && both;
  if (ok) {
    resize_axis(p->pixels, tall, 1, p->height, height, p->width * c);
    resize_axis(tall, both, height, p->width, width, c);
    free(p->pixels);
    p->pixels = both;
    p->height = height;
    p->width = width;
  } else {
    free(both);
    fail(f, "no memory for %lldx%lld pixels", (long long)width,
         (long long)height);
  }
  free(tall);
  return ok;
}

static void fill(tensor *out, const picture *p, const layout *l,
                 const image_options *options) {
  int64_t plane = p->height * p->width, c = p->channels;
  bool whole = !is_float_type(out->dtype);
  for (int64_t i = 0; i < plane * c; i++) {
    double value = (double)p->pixels[i];
    int64_t channel = i % c;
    if (whole)
      value = fmin(255, fmax(0, nearbyint(value)));
    else
      value = (value * options->scale - options->mean[channel]) /
              options->deviation[channel];
    int64_t at = l->channels_last ? i : channel * plane + i / c;
    tensor_set(out, (size_t)at, value);
  }
}

bool tensor_read_png(tensor *out, const char *path, const char *input,
                     DLDataType dtype, int32_t rank, const int64_t *shape,
                     const image_options *options, failure *f) {
  *out = (tensor){0};
  char text[TENSOR_TEXT_BYTES];
  layout l;
  picture p = {0};
  bool is_u8 = dtype.code == kDLUInt && dtype.bits == 8;
  print_type(text, dtype, rank, shape);
  if (!find_layout(&l, rank, shape) || (!is_u8 && !is_float_type(dtype)))
    return fail(f, "input '%s' expects %s, got the picture '%s'", input, text,
                path);
  if (is_u8 && options->given)
    return fail(f,
                "input '%s' is %s, which takes pixels as they are: no "
                "'--mean', '--std' or '--scale'",
                input, text);
  bool ok = read_picture(&p, path, l.channels, f) &&
            resize(&p, l.height, l.width, f) &&
            tensor_init(out, dtype, rank, shape, f);
  if (ok)
    fill(out, &p, &l, options);
  free(p.pixels);
  return ok;
}
