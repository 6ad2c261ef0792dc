const LARGEST = 100;

/** Cuts a page out of items: `limit` of them (10 unless told), from `offset` on. */
export function paginate(items, options = {}) {
  const limit = options.limit || 10;
  const offset = options.offset || 0;
  if (!Number.isInteger(limit) || limit < 0 || limit > LARGEST) {
    throw new RangeError(`limit must be a whole number from 0 to ${LARGEST}`);
  }
  if (!Number.isInteger(offset) || offset < 0) {
    throw new RangeError('offset must be a whole number, 0 or more');
  }
  const page = items.slice(offset, offset + limit);
  const next = offset + page.length;
  return { items: page, total: items.length, next: next < items.length ? next : null };
}
