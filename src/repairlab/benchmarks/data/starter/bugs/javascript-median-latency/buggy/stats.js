'use strict';

/** Returns the middle of some numbers; between two middles, half way. */
function median(values) {
  const ordered = [...values].sort();
  const middle = Math.floor(ordered.length / 2);
  if (ordered.length % 2 === 1) {
    return ordered[middle];
  }
  return (ordered[middle - 1] + ordered[middle]) / 2;
}

/** Returns the largest of some numbers. */
function largest(values) {
  return values.reduce((best, value) => Math.max(best, value), -Infinity);
}

module.exports = { median, largest };
