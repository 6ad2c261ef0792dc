'use strict';

const { it } = require('node:test');
const assert = require('node:assert');
const { Point, parse } = require('../geo.js');

it('parses', () => {
  assert.deepStrictEqual(parse('1,2'), new Point(1, 2));
});

it('takes negative numbers', () => {
  assert.deepStrictEqual(parse('-1,7'), new Point(-1, 7));
});

it('shows', () => {
  assert.strictEqual(String(new Point(3, 4)), '3,4');
});
