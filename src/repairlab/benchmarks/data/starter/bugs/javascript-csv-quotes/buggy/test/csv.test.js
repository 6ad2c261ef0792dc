'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { parseRow, formatRow } = require('../src/csv.js');

test('plain fields are split at commas', () => {
  assert.deepStrictEqual(parseRow('a,b,,d'), ['a', 'b', '', 'd']);
});

test('commas in quotes are part of the field', () => {
  assert.deepStrictEqual(parseRow('"x, y",z'), ['x, y', 'z']);
});

test('a doubled quote is one quote', () => {
  assert.deepStrictEqual(parseRow('1,"say ""hi""",x'), ['1', 'say "hi"', 'x']);
});

test('an open quote is an error', () => {
  assert.throws(() => parseRow('a,"b'), SyntaxError);
});

test('fields are quoted where needed', () => {
  assert.strictEqual(formatRow(['a', 'b,c', 'd"e']), 'a,"b,c","d""e"');
});
