'use strict';

const { describe, it } = require('node:test');
const assert = require('node:assert');
const calc = require('../calc.js');

it('names', () => {
  assert.ok(calc.name(7) === 'n7');
});
