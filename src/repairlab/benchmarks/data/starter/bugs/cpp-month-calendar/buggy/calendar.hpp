#ifndef CALENDAR_HPP
#define CALENDAR_HPP

/// Prints the sheet of one month; weekday 0 is Monday.
void print_month(int days, int first_weekday);

#endif
