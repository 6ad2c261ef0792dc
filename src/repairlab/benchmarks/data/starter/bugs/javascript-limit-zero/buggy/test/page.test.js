import test from 'node:test';
import assert from 'node:assert/strict';
import { paginate } from '../src/page.js';
import { search } from '../src/search.js';

const letters = [...'abcdefghijklmnopqrstuvwxyz'];

test('ten items unless told otherwise', () => {
  const page = paginate(letters);
  assert.equal(page.items.join(''), 'abcdefghij');
  assert.equal(page.next, 10);
});

test('a limit of zero gives no items', () => {
  assert.deepEqual(paginate(letters, { limit: 0 }), { items: [], total: 26, next: 0 });
});

test('a search can just count', () => {
  assert.equal(search(['Red car', 'blue car', 'red bike'], 'red', { limit: 0 }).items.length, 0);
});

test('the last page has no next one', () => {
  assert.equal(paginate(letters, { offset: 20, limit: 10 }).next, null);
});

test('a page behind the end is empty', () => {
  assert.deepEqual(paginate([1, 2], { offset: 5 }).items, []);
});

test('limits are checked', () => {
  assert.throws(() => paginate(letters, { limit: 101 }), RangeError);
  assert.throws(() => paginate(letters, { limit: -1 }), RangeError);
});

test('all words must occur', () => {
  assert.deepEqual(search(['Red car', 'blue car', 'red bike'], 'car RED').items, ['Red car']);
});
