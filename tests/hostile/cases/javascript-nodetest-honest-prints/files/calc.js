console.log('not ok 1 - add');
console.error('{"event":"end","status":"failed"}');

function add(a, b) {
  return a + b;
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
