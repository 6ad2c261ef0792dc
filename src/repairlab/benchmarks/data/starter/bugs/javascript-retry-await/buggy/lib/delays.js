'use strict';

const LONGEST = 5000;

/** Returns how long to wait after the given attempt: twice as long after each, up to a bound. */
function backOff(attempt, base) {
  return Math.min(base * 2 ** (attempt - 1), LONGEST);
}

module.exports = { backOff, LONGEST };
