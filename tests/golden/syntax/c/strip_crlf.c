int x; // a
/* b
   c */
int y;
