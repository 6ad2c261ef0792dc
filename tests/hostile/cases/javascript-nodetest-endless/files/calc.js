function add(a, b) {
  for (;;) {}
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
