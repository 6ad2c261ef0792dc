'use strict';

/** Returns an amount like '12.30' in cents. */
function cents(amount) {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(String(amount));
  if (!match) {
    throw new SyntaxError(`${amount} is no amount`);
  }
  const value = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'));
  return match[1] ? -value : value;
}

/** Returns cents as an amount like '12.30'. */
function euros(value) {
  const size = Math.abs(value);
  return `${value < 0 ? '-' : ''}${Math.floor(size / 100)}.${String(size % 100).padStart(2, '0')}`;
}

module.exports = { cents, euros };
