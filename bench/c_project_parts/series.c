#include "series_@name@.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void series_@name@_init(struct series_@name@ *series)
{
    memset(series, 0, sizeof *series);
}

void series_@name@_clear(struct series_@name@ *series)
{
    free(series->values);
    series_@name@_init(series);
}

int series_@name@_add(struct series_@name@ *series, @type@ value)
{
    if (series->length == series->capacity) {
        size_t capacity = series->capacity ? 2 * series->capacity : 16;
        @type@ *values = realloc(series->values, capacity * sizeof *values);
        if (values == NULL)
            return -1;
        series->values = values;
        series->capacity = capacity;
    }
    series->values[series->length++] = value;
    return 0;
}

double series_@name@_mean(const struct series_@name@ *series)
{
    double sum = 0;
    for (size_t i = 0; i < series->length; i++)
        sum += (double)series->values[i];
    return series->length ? sum / (double)series->length : NAN;
}

double series_@name@_variance(const struct series_@name@ *series)
{
    if (series->length < 2)
        return NAN;
    double mean = series_@name@_mean(series), sum = 0;
    for (size_t i = 0; i < series->length; i++) {
        double distance = (double)series->values[i] - mean;
        sum += distance * distance;
    }
    return sum / (double)(series->length - 1);
}

static int by_value(const void *one, const void *other)
{
    @type@ a = *(const @type@ *)one, b = *(const @type@ *)other;
    return (a > b) - (a < b);
}

@type@ series_@name@_quantile(const struct series_@name@ *series, double share)
{
    if (series->length == 0)
        return 0;
    @type@ *sorted = malloc(series->length * sizeof *sorted);
    if (sorted == NULL)
        return 0;
    memcpy(sorted, series->values, series->length * sizeof *sorted);
    qsort(sorted, series->length, sizeof *sorted, by_value);
    size_t at = (size_t)floor(share * (double)(series->length - 1) + 0.5);
    @type@ found = sorted[at < series->length ? at : series->length - 1];
    free(sorted);
    return found;
}

size_t series_@name@_longest_rise(const struct series_@name@ *series)
{
    size_t longest = series->length ? 1 : 0, current = longest;
    for (size_t i = 1; i < series->length; i++) {
        current = series->values[i] > series->values[i - 1] ? current + 1 : 1;
        if (current > longest)
            longest = current;
    }
    return longest;
}

int series_@name@_smooth(const struct series_@name@ *series, size_t width, double *out)
{
    if (width == 0 || width % 2 == 0)
        return -1;
    for (size_t i = 0; i < series->length; i++) {
        size_t half = width / 2, from = i > half ? i - half : 0, to = i + half;
        if (to >= series->length)
            to = series->length - 1;
        double sum = 0;
        for (size_t j = from; j <= to; j++)
            sum += (double)series->values[j];
        out[i] = sum / (double)(to - from + 1);
    }
    return 0;
}

size_t series_@name@_histogram(const struct series_@name@ *series, @type@ low, @type@ high, size_t *counts, size_t n_bins)
{
    size_t outside = 0;
    memset(counts, 0, n_bins * sizeof *counts);
    for (size_t i = 0; i < series->length; i++) {
        @type@ value = series->values[i];
        if (value < low || value >= high)
            outside++;
        else
            counts[(size_t)((double)(value - low) / (double)(high - low) * (double)n_bins)]++;
    }
    return outside;
}

int series_@name@_text(const struct series_@name@ *series, char *out, size_t size)
{
    size_t used = 0;
    if (size == 0)
        return -1;
    out[0] = 0;
    for (size_t i = 0; i < series->length; i++) {
        int n = snprintf(out + used, size - used, i ? " %.6g" : "%.6g", (double)series->values[i]);
        if (n < 0 || (size_t)n >= size - used)
            return -1;
        used += (size_t)n;
    }
    return 0;
}
