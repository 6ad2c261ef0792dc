'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const { split, balances } = require('./bill.js');
const { cents, euros } = require('./money.js');

test('even shares', () => {
  assert.deepStrictEqual(split('9', 3), ['3.00', '3.00', '3.00']);
});

test('first shares take the cents that are left', () => {
  assert.deepStrictEqual(split('10.00', 3), ['3.34', '3.33', '3.33']);
  assert.deepStrictEqual(split('0.05', 4), ['0.02', '0.01', '0.01', '0.01']);
});

test('shares add up', () => {
  const total = split('77.77', 8).reduce((sum, share) => sum + cents(share), 0);
  assert.strictEqual(euros(total), '77.77');
});

test('nobody is too few', () => {
  assert.throws(() => split('1', 0), RangeError);
});

test('balances cancel out', () => {
  const owed = balances([
    { paidBy: 'ann', amount: '10.00', sharedBy: ['ann', 'bob', 'eve'] },
    { paidBy: 'bob', amount: '4.00', sharedBy: ['ann', 'bob'] },
  ]);
  const total = [...owed.values()].reduce((sum, value) => sum + cents(value), 0);
  assert.strictEqual(total, 0);
});

test('amounts are written with two digits', () => {
  assert.strictEqual(euros(-105), '-1.05');
  assert.strictEqual(cents('2.5'), 250);
});
