function add(a, b) {
  process.reallyExit(0);
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
