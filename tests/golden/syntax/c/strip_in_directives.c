#define A 1 /* one
  two */ + 2
#define B(x) x /* c */ \
    /* only */ \
    + 1 // end
#define C /**/ (x)
#define D \
    // nothing
int y;
#if A /* why */
#endif // A
