int f( { // a
  "open // b
  return 1; /* c */
