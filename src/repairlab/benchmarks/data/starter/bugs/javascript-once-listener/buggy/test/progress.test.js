'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Progress } = require('../lib/progress.js');

test('every tenth step is told', () => {
  const progress = new Progress(25);
  const tenths = [];
  progress.on('tenth', (n) => tenths.push(n));
  for (let i = 0; i < 25; i += 1) progress.step();
  assert.deepStrictEqual(tenths, [10, 20]);
});

test('there is no step after the end', () => {
  const progress = new Progress(1);
  progress.step();
  assert.throws(() => progress.step(), RangeError);
});
