import { describe, it } from 'node:test';
import assert from 'node:assert';
import { Router } from '../src/router.js';

const router = new Router()
  .add('/', 'home')
  .add('/users/:id', 'user')
  .add('/users/new', 'new user')
  .add('/:kind/:id/edit', 'edit')
  .add('/users/:id/edit', 'edit user');

describe('match', () => {
  it('finds fixed paths', () => {
    assert.strictEqual(router.match('/').handler, 'home');
  });

  it('reads parameters', () => {
    assert.deepStrictEqual(router.match('/users/a%20b?x=1'), { handler: 'user', parameters: { id: 'a b' } });
  });

  it('prefers fixed segments', () => {
    assert.strictEqual(router.match('/users/new').handler, 'new user');
  });

  it('prefers fewer parameters', () => {
    assert.deepStrictEqual(router.match('/users/7/edit'), { handler: 'edit user', parameters: { id: '7' } });
  });

  it('still falls back to more parameters', () => {
    assert.strictEqual(router.match('/posts/7/edit').handler, 'edit');
  });

  it('returns null where nothing fits', () => {
    assert.strictEqual(router.match('/users'), null);
  });
});

describe('add', () => {
  it('refuses a parameter that occurs twice', () => {
    assert.throws(() => new Router().add('/:a/:a', 'x'), /twice/);
  });
});
