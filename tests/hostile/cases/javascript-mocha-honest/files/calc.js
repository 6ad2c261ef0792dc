'use strict';

function add(a, b) {
  return a + b;
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
