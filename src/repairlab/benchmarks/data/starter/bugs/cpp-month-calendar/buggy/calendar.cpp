#include "calendar.hpp"

#include <cstdio>

void print_month(int days, int first_weekday) {
    std::printf("Mo Tu We Th Fr Sa Su\n");
    for (int blank = 0; blank < first_weekday; ++blank) {
        std::printf("   ");
    }
    int weekday = first_weekday;
    for (int day = 1; day <= days; ++day) {
        std::printf("%2d", day);
        const bool last_of_line = weekday == 6 || day == days;
        std::putchar(last_of_line ? '\n' : ' ');
        weekday = (weekday + 1) % 7;
    }
    if (weekday != 0) {
        std::putchar('\n');
    }
    std::printf("--\n");
}
