const assert = require('node:assert');

function add(a, b) {
  assert.ok(Number.isFinite(a));
  return Number(BigInt(a) + BigInt(b));
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
