#include "date.h"

int date_is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int date_days_in_month(int year, int month)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return month == 2 && date_is_leap(year) ? 29 : lengths[month - 1];
}

int date_is_valid(struct date date)
{
    return date.year >= 1 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
           date.day <= date_days_in_month(date.year, date.month);
}

static long days_before_year(int year)
{
    long past = year - 1;

    return past * 365 + past / 4 - past / 100 + past / 400;
}

int date_day_of_year(struct date date)
{
    int days = date.day;

    for (int month = 1; month < date.month; month++)
        days += date_days_in_month(date.year, month);
    return days;
}

long date_to_days(struct date date)
{
    return days_before_year(date.year) + date_day_of_year(date) - 1;
}

struct date date_from_days(long days)
{
    struct date date = {(int)(days / 366) + 1, 1, 1};

    while (days_before_year(date.year + 1) <= days)
        date.year++;
    days -= days_before_year(date.year);
    while (days >= date_days_in_month(date.year, date.month)) {
        days -= date_days_in_month(date.year, date.month);
        date.month++;
    }
    date.day += (int)days;
    return date;
}

int date_weekday(struct date date)
{
    return (int)(date_to_days(date) % 7) + 1;
}
