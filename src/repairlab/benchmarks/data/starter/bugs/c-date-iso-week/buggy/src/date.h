#ifndef DATE_H
#define DATE_H

/* A day of the proleptic Gregorian calendar. */
struct date {
    int year;
    int month; /* 1 to 12 */
    int day;   /* 1 to 31 */
};

int date_is_leap(int year);
int date_days_in_month(int year, int month);
int date_is_valid(struct date date);

/* Days since 1 January of year 1, which is day 0 and a Monday. Years below 1 are not supported. */
long date_to_days(struct date date);
struct date date_from_days(long days);

/* 1 for 1 January. */
int date_day_of_year(struct date date);

/* 1 for Monday to 7 for Sunday. */
int date_weekday(struct date date);

#endif
