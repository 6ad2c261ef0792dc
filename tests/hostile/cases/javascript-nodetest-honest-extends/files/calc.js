Array.prototype.total = function total() {
  return this.reduce((sum, value) => sum + value, 0);
};

function add(...values) {
  return values.total();
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
