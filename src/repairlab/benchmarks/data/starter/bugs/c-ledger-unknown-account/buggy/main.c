#include <stdio.h>
#include <string.h>

#include "ledger.h"

static void print_balances(const struct ledger *ledger)
{
    for (int i = 0; i < ledger->n_accounts; i++)
        printf("%s %ld\n", ledger->accounts[i].name, ledger->accounts[i].cents);
}

static void run(struct ledger *ledger)
{
    char command[16];
    char name[24];
    long cents;

    while (scanf("%15s %23s", command, name) == 2) {
        if (strcmp(command, "open") == 0) {
            if (!ledger_open(ledger, name))
                printf("can not open %s\n", name);
            continue;
        }
        if (scanf("%ld", &cents) != 1)
            return;
        struct account *account = ledger_find(ledger, name);
        if (strcmp(command, "pay") == 0)
            account->cents += cents;
        else if (strcmp(command, "draw") == 0 && account->cents >= cents)
            account->cents -= cents;
        else
            printf("refused %s %s\n", command, name);
    }
}

int main(void)
{
    static struct ledger ledger;

    run(&ledger);
    print_balances(&ledger);
    return 0;
}
