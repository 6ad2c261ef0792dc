'use strict';

const test = require('node:test');
const assert = require('node:assert');
const calc = require('../calc.js');

const seven = 'n7';

test('sums', () => {
  const expected = 3;
  assert.strictEqual(calc.add(1, 2), expected);
});

test('refuses nothing', () => {
  assert.throws(() => calc.add(1), RangeError);
});

test('names', () => {
  assert.ok(calc.name(7) === seven);
});
