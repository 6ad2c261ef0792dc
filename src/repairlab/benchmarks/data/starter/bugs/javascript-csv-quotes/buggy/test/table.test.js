'use strict';

const { describe, it } = require('node:test');
const assert = require('node:assert');
const { Table } = require('../src/table.js');

describe('Table', () => {
  it('finds a column by name', () => {
    assert.deepStrictEqual(Table.parse('id,name\n1,ann\n2,bob').column('name'), ['ann', 'bob']);
  });

  it('survives a round trip', () => {
    const text = 'id,quote\n1,"she said ""no"""';
    assert.strictEqual(Table.parse(text).toString(), text);
  });

  it('refuses rows of another length', () => {
    assert.throws(() => Table.parse('a,b\n1'), RangeError);
  });
});
