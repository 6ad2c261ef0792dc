'use strict';

const { describe, it } = require('node:test');
const assert = require('node:assert');
const { retry } = require('../lib/retry.js');
const { backOff } = require('../lib/delays.js');

function failing(n) {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries <= n) throw new Error(`failure ${tries}`);
    return tries;
  };
}

describe('retry', () => {
  it('returns the first success', async () => {
    assert.strictEqual(await retry(failing(0)), 1);
  });

  it('tries again after a rejection', async () => {
    assert.strictEqual(await retry(failing(2), { base: 0 }), 3);
  });

  it('waits longer each time', async () => {
    const waits = [];
    await retry(failing(3), { times: 4, base: 10, sleep: async (ms) => { waits.push(ms); } });
    assert.deepStrictEqual(waits, [10, 20, 40]);
  });

  it('rejects with the last failure', async () => {
    await assert.rejects(retry(failing(9), { times: 2, base: 0 }), { message: 'failure 2' });
  });

  it('does not repeat what is fatal', async () => {
    await assert.rejects(retry(failing(9), { isFatal: () => true }), { message: 'failure 1' });
  });

  it('also repeats functions that throw at once', async () => {
    let tries = 0;
    const work = () => { tries += 1; if (tries < 2) throw new Error('x'); return tries; };
    assert.strictEqual(await retry(work, { base: 0 }), 2);
  });
});

describe('backOff', () => {
  it('has a bound', () => {
    assert.strictEqual(backOff(20, 100), 5000);
  });
});
