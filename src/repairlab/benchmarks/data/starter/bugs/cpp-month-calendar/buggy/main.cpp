#include <cstdio>

#include "calendar.hpp"

int main() {
    int q = 0;
    if (std::scanf("%d", &q) != 1) {
        return 1;
    }
    for (int i = 0; i < q; ++i) {
        int days = 0, first_weekday = 0;
        if (std::scanf("%d %d", &days, &first_weekday) != 2) {
            return 1;
        }
        print_month(days, first_weekday);
    }
    return 0;
}
