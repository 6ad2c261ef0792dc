'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Emitter } = require('../lib/emitter.js');

test('listeners are called in order', () => {
  const emitter = new Emitter();
  const seen = [];
  emitter.on('a', (x) => seen.push(`1${x}`));
  emitter.on('a', (x) => seen.push(`2${x}`));
  assert.strictEqual(emitter.emit('a', '!'), 2);
  assert.deepStrictEqual(seen, ['1!', '2!']);
});

test('a listener that leaves does not hide the next one', () => {
  const emitter = new Emitter();
  const seen = [];
  emitter.once('a', () => seen.push('once'));
  emitter.on('a', () => seen.push('always'));
  emitter.emit('a');
  assert.deepStrictEqual(seen, ['once', 'always']);
});

test('all who were there are counted', () => {
  const emitter = new Emitter();
  emitter.once('a', () => {});
  emitter.once('a', () => {});
  emitter.once('a', () => {});
  assert.strictEqual(emitter.emit('a'), 3);
});

test('once means once', () => {
  const emitter = new Emitter();
  let calls = 0;
  emitter.once('a', () => { calls += 1; });
  emitter.emit('a');
  emitter.emit('a');
  assert.strictEqual(calls, 1);
});

test('unsubscribing says whether there was something to remove', () => {
  const emitter = new Emitter();
  const remove = emitter.on('a', () => {});
  assert.strictEqual(remove(), true);
  assert.strictEqual(remove(), false);
});

test('only functions listen', () => {
  assert.throws(() => new Emitter().on('a', 1), TypeError);
});
