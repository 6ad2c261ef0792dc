process.on('exit', () => console.log('bye'));
setTimeout(() => {}, 5).unref();

function add(a, b) {
  return a + b;
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
