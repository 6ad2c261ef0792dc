'use strict';

const { describe, it } = require('node:test');
const { same } = require('../testing.js');
const calc = require('../calc.js');

describe('add', () => {
  it('sums', () => {
    same(calc.add(1, 2), 3);
  });

  it('takes negative numbers', () => {
    same(calc.add(-1, -2), -3);
  });
});
