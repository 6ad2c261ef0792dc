'use strict';

const { it } = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const calc = require('../calc.js');

it('sums', () => {
  require('./helper').checkSums(calc.add);
});

it('makes a table', () => {
  const wanted = JSON.parse(fs.readFileSync(`${__dirname}/expected.json`, 'utf8'));
  assert.deepStrictEqual([0, 1, 2].map((a) => String(calc.add(a, 20))), wanted);
});

it('names', () => {
  assert.ok(calc.name(7) === 'n7');
});
