'use strict';

const { parseRow, formatRow } = require('./csv.js');

/** A header and rows of equal length. */
class Table {
  constructor(header, rows = []) {
    this.header = header;
    this.rows = rows;
  }

  static parse(text) {
    const [first, ...others] = text.split(/\r?\n/).filter((line) => line !== '');
    const header = parseRow(first);
    const rows = others.map(parseRow);
    const odd = rows.findIndex((row) => row.length !== header.length);
    if (odd >= 0) {
      throw new RangeError(`row ${odd + 1} has ${rows[odd].length} fields, not ${header.length}`);
    }
    return new Table(header, rows);
  }

  column(name) {
    const index = this.header.indexOf(name);
    return index < 0 ? [] : this.rows.map((row) => row[index]);
  }

  toString() {
    return [this.header, ...this.rows].map(formatRow).join('\n');
  }
}

module.exports = { Table };
