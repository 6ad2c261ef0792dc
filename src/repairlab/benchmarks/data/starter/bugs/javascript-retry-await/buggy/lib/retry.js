'use strict';

const { backOff } = require('./delays.js');

/** Calls a function until it does not fail, `times` times at most; `sleep` waits some milliseconds. */
async function retry(work, { times = 3, base = 100, sleep = wait, isFatal = () => false } = {}) {
  let last;
  for (let attempt = 1; attempt <= times; attempt += 1) {
    try {
      return work(attempt);
    } catch (error) {
      last = error;
      if (isFatal(error)) {
        throw error;
      }
    }
    if (attempt < times) {
      await sleep(backOff(attempt, base));
    }
  }
  throw last ?? new RangeError('there must be one try at least');
}

function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

module.exports = { retry };
