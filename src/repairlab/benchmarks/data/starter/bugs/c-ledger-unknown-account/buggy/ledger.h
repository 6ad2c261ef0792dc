#ifndef LEDGER_H
#define LEDGER_H

#define LEDGER_MAX 200

struct account {
    char name[24];
    long cents;
};

struct ledger {
    struct account accounts[LEDGER_MAX];
    int n_accounts;
};

/* Open an account with nothing in it; returns whether there was room and the name was new. */
int ledger_open(struct ledger *ledger, const char *name);

/* The account of that name, or NULL. */
struct account *ledger_find(struct ledger *ledger, const char *name);

#endif
