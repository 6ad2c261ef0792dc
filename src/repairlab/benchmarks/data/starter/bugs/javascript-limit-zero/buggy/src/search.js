import { paginate } from './page.js';

/** Returns a page of the entries that hold all words of a query, whatever their case. */
export function search(entries, query, options) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => words.every((word) => entry.toLowerCase().includes(word)));
  return paginate(found, options);
}
