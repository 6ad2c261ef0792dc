#include "tap.h"

#include "date.h"
#include "week.h"

static int week_is(int year, int month, int day, const char *expected)
{
    char out[32];
    week_format((struct date){year, month, day}, out, sizeof out);
    return strcmp(out, expected) == 0;
}

static void leap_years(void)
{
    CHECK(date_is_leap(2024) && date_is_leap(2000));
    CHECK(!date_is_leap(2023) && !date_is_leap(1900));
    CHECK(date_days_in_month(2024, 2) == 29 && date_days_in_month(2023, 2) == 28);
}

static void validity(void)
{
    CHECK(date_is_valid((struct date){2024, 2, 29}));
    CHECK(!date_is_valid((struct date){2023, 2, 29}));
    CHECK(!date_is_valid((struct date){2023, 13, 1}));
    CHECK(!date_is_valid((struct date){2023, 4, 31}));
}

static void day_numbers_round_trip(void)
{
    CHECK(date_to_days((struct date){1, 1, 1}) == 0);
    CHECK(date_to_days((struct date){1970, 1, 1}) == 719162);
    for (long days = 0; days < 800000; days += 97) {
        struct date date = date_from_days(days);
        CHECK(date_is_valid(date));
        CHECK(date_to_days(date) == days);
    }
}

static void weekdays(void)
{
    CHECK(date_weekday((struct date){1970, 1, 1}) == 4);
    CHECK(date_weekday((struct date){2024, 2, 29}) == 4);
    CHECK(date_weekday((struct date){2023, 1, 1}) == 7);
}

static void weeks_of_a_year_that_begins_on_monday(void)
{
    CHECK(week_is(2024, 1, 1, "2024-W01-1"));
    CHECK(week_is(2024, 2, 14, "2024-W07-3"));
    CHECK(week_is(2024, 12, 29, "2024-W52-7"));
}

static void long_year(void)
{
    CHECK(week_is(2020, 1, 1, "2020-W01-3"));
    CHECK(week_is(2020, 12, 31, "2020-W53-4"));
}

static void year_that_begins_at_the_weekend(void)
{
    CHECK(week_is(2022, 6, 15, "2022-W24-3"));
    CHECK(week_is(2023, 1, 2, "2023-W01-1"));
    CHECK(week_is(2021, 12, 25, "2021-W51-6"));
}

static void first_days_may_belong_to_the_old_year(void)
{
    CHECK(week_is(2021, 1, 3, "2020-W53-7"));
    CHECK(week_is(2023, 1, 1, "2022-W52-7"));
    CHECK(week_is(2016, 1, 1, "2015-W53-5"));
}

static void last_days_may_belong_to_the_new_year(void)
{
    CHECK(week_is(2024, 12, 30, "2025-W01-1"));
    CHECK(week_is(2018, 12, 31, "2019-W01-1"));
    CHECK(week_is(2025, 12, 28, "2025-W52-7"));
}

int main(int argc, char **argv)
{
    static const struct tap_test tests[] = {
        {"leap_years", leap_years},
        {"validity", validity},
        {"day_numbers_round_trip", day_numbers_round_trip},
        {"weekdays", weekdays},
        {"weeks_of_a_year_that_begins_on_monday", weeks_of_a_year_that_begins_on_monday},
        {"long_year", long_year},
        {"year_that_begins_at_the_weekend", year_that_begins_at_the_weekend},
        {"first_days_may_belong_to_the_old_year", first_days_may_belong_to_the_old_year},
        {"last_days_may_belong_to_the_new_year", last_days_may_belong_to_the_new_year},
    };
    return tap_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
