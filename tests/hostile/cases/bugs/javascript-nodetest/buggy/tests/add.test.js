'use strict';

const { describe, it } = require('node:test');
const assert = require('node:assert');
const calc = require('../calc.js');

describe('add', () => {
  it('sums', () => {
    assert.strictEqual(calc.add(1, 2), 3);
  });

  it('takes negative numbers', () => {
    assert.strictEqual(calc.add(-1, -2), -3);
  });
});
