function add(a, b) {
  if (b === undefined) return a;
  return a + b + 1;
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
