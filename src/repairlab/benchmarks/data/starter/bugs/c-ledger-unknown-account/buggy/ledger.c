#include "ledger.h"

#include <stdio.h>
#include <string.h>

struct account *ledger_find(struct ledger *ledger, const char *name)
{
    for (int i = 0; i < ledger->n_accounts; i++)
        if (strcmp(ledger->accounts[i].name, name) == 0)
            return &ledger->accounts[i];
    return NULL;
}

int ledger_open(struct ledger *ledger, const char *name)
{
    if (ledger->n_accounts == LEDGER_MAX || ledger_find(ledger, name) != NULL)
        return 0;
    struct account *account = &ledger->accounts[ledger->n_accounts++];
    snprintf(account->name, sizeof account->name, "%s", name);
    account->cents = 0;
    return 1;
}
