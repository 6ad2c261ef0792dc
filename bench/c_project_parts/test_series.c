#include "check.h"

#include <math.h>
#include <string.h>

#include "series_@name@.h"

static void fill(struct series_@name@ *series)
{
    static const int values[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    series_@name@_init(series);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        CHECK(series_@name@_add(series, (@type@)values[i]) == 0);
}

static void says_where_values_lie(void)
{
    struct series_@name@ series;
    fill(&series);
    CHECK(fabs(series_@name@_mean(&series) - 3.9) < 1e-9);
    CHECK(fabs(series_@name@_variance(&series) - 6.1) < 0.01);
    CHECK(series_@name@_quantile(&series, 0) == 1 && series_@name@_quantile(&series, 1) == 9);
    CHECK(series_@name@_quantile(&series, 0.3) == 3);
    series_@name@_clear(&series);
    CHECK(isnan(series_@name@_mean(&series)) && isnan(series_@name@_variance(&series)));
}

static void says_how_values_move(void)
{
    struct series_@name@ series;
    double smooth[10];
    fill(&series);
    CHECK(series_@name@_longest_rise(&series) == 3);
    CHECK(series_@name@_smooth(&series, 2, smooth) == -1 && series_@name@_smooth(&series, 3, smooth) == 0);
    CHECK(smooth[0] == 2 && smooth[9] == 4 && fabs(smooth[4] - 5) < 1e-9);
    series_@name@_clear(&series);
}

static void shows_values(void)
{
    struct series_@name@ series;
    size_t counts[3];
    char text[64];
    fill(&series);
    CHECK(series_@name@_histogram(&series, 1, 7, counts, 3) == 1);
    CHECK(counts[0] == 3 && counts[1] == 3 && counts[2] == 3);
    CHECK(series_@name@_text(&series, text, sizeof text) == 0 && strcmp(text, "3 1 4 1 5 9 2 6 5 3") == 0);
    CHECK(series_@name@_text(&series, text, 9) == -1);
    series_@name@_clear(&series);
}

const struct test series_@name@_tests[] = {{"series_@name@_says_where_values_lie", says_where_values_lie},
                                           {"series_@name@_says_how_values_move", says_how_values_move},
                                           {"series_@name@_shows_values", shows_values},
                                           {0, 0}};
