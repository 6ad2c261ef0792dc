'use strict';

function add(a, b) {
  return a + b + 1;
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
