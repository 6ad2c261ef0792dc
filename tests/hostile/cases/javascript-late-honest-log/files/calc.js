const fs = require('fs');
fs.appendFileSync(`${__dirname}/calc.log`, 'loaded');
fs.writeFileSync(`${__dirname}/calc.json`, '{}');

function add(a, b) {
  return a + b;
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
