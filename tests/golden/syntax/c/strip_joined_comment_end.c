int x; /* a *\
/ int y; /* b */
