'use strict';

const { describe, it } = require('node:test');
const { same } = require('../testing.js');
const calc = require('../calc.js');

it('names', () => {
  same(calc.name(7), 'n7');
});
