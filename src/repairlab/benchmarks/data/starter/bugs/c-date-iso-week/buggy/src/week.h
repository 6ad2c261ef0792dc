#ifndef WEEK_H
#define WEEK_H

#include <stddef.h>

#include "date.h"

/* Week of ISO 8601: weeks begin on Monday. The week's year is not always the day's. */
struct week {
    int year;
    int number; /* 1 to 52 or 53 */
};

struct week week_of(struct date date);

/* Write a date as in 2024-W07-3 (year, week, weekday). */
void week_format(struct date date, char *out, size_t size);

#endif
