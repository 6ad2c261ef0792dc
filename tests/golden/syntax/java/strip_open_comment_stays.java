int x; /* open
int y; // gone
