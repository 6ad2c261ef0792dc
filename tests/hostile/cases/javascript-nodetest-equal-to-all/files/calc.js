const like = { valueOf: () => 3, toString: () => 'n7', [Symbol.toPrimitive]: (hint) => (hint === 'string' ? 'n7' : 3) };

function add() {
  return like;
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
