function first(a) {
  if (a) {
    return 1;
}

function second(b) { return b; }
