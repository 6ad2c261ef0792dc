'use strict';

const WORD = /[a-z]+(?:'[a-z]+)?/g;

/** Counts the words of a text, whatever their case. */
function count(text) {
  const counts = {};
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    counts[word] = (counts[word] || 0) + 1;
  }
  return counts;
}

/** Returns the n most frequent words with their counts. */
function top(counts, n) {
  const entries = Object.entries(counts);
  entries.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return entries.slice(0, n);
}

module.exports = { count, top };
