#include <stdio.h>

#define MAX_LAPS 1000

/* Lap times of one rider, in whole seconds. */
struct rider {
    char name[32];
    int laps[MAX_LAPS];
    int n_laps;
};

static int read_rider(struct rider *rider)
{
    if (scanf("%31s %d", rider->name, &rider->n_laps) != 2 || rider->n_laps > MAX_LAPS)
        return 0;
    for (int i = 0; i < rider->n_laps; i++)
        if (scanf("%d", &rider->laps[i]) != 1)
            return 0;
    return 1;
}

static int best_lap(const struct rider *rider)
{
    int best = rider->laps[0];

    for (int i = 1; i < rider->n_laps; i++)
        if (rider->laps[i] < best)
            best = rider->laps[i];
    return best;
}

static double mean_lap(const struct rider *rider)
{
    int total = 0;

    for (int i = 0; i < rider->n_laps; i++)
        total += rider->laps[i];
    return total / rider->n_laps;
}

int main(void)
{
    static struct rider rider;
    int n_riders;

    if (scanf("%d", &n_riders) != 1)
        return 1;
    for (int i = 0; i < n_riders && read_rider(&rider); i++) {
        if (rider.n_laps == 0)
            printf("%s did not start\n", rider.name);
        else
            printf("%s best %d mean %.3f\n", rider.name, best_lap(&rider), mean_lap(&rider));
    }
    return 0;
}
