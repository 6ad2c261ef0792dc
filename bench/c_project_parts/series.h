#ifndef SERIES_@NAME@_H
#define SERIES_@NAME@_H

#include <stddef.h>

/* Readings in the order in which they came, and what can be said about them. */
struct series_@name@ {
    @type@ *values;
    size_t length, capacity;
};

void series_@name@_init(struct series_@name@ *series);
void series_@name@_clear(struct series_@name@ *series);
int series_@name@_add(struct series_@name@ *series, @type@ value);
double series_@name@_mean(const struct series_@name@ *series);
double series_@name@_variance(const struct series_@name@ *series);
@type@ series_@name@_quantile(const struct series_@name@ *series, double share);
size_t series_@name@_longest_rise(const struct series_@name@ *series);
int series_@name@_smooth(const struct series_@name@ *series, size_t width, double *out);
size_t series_@name@_histogram(const struct series_@name@ *series, @type@ low, @type@ high, size_t *counts, size_t n_bins);
int series_@name@_text(const struct series_@name@ *series, char *out, size_t size);

#endif
