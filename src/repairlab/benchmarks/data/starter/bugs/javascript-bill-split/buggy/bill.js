'use strict';

const { cents, euros } = require('./money.js');

/** Splits an amount in euros into shares that differ by one cent at most; larger shares come first. */
function split(amount, people) {
  if (!Number.isInteger(people) || people < 1) {
    throw new RangeError('somebody has to pay');
  }
  const total = cents(amount);
  const share = Math.floor(total / people);
  return Array.from({ length: people }, () => euros(share));
}

/** Returns who owes how much, when people have paid for items that they share with others. */
function balances(items) {
  const owed = new Map();
  const add = (name, value) => owed.set(name, (owed.get(name) ?? 0) + value);
  for (const { paidBy, amount, sharedBy } of items) {
    const shares = split(amount, sharedBy.length);
    sharedBy.forEach((name, index) => add(name, cents(shares[index])));
    add(paidBy, -cents(amount));
  }
  return new Map([...owed].map(([name, value]) => [name, euros(value)]));
}

module.exports = { split, balances };
