#error don't /* do */ this
int x; /* gone */
