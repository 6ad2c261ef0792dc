'use strict';

const { describe, it } = require('node:test');
const assert = require('node:assert');
const calc = require('../calc.js');

const SUM = 3;

describe('add', () => {
  it('sums', () => {
    assert.strictEqual(calc.add(1, 2), SUM);
  });

  it('takes negative numbers', () => {
    assert.strictEqual(calc.add(5, -2), SUM);
  });
});
