#include "week.h"

#include <stdio.h>

struct week week_of(struct date date)
{
    struct date new_year = {date.year, 1, 1};
    int offset = date_weekday(new_year) - 1;
    struct week week;

    week.year = date.year;
    week.number = (date_day_of_year(date) - 1 + offset) / 7 + 1;
    return week;
}

void week_format(struct date date, char *out, size_t size)
{
    struct week week = week_of(date);

    snprintf(out, size, "%04d-W%02d-%d", week.year, week.number, date_weekday(date));
}
