'use strict';

class Point {
  #x;
  #y;
  constructor(x, y) {
    this.#x = x;
    this.#y = y;
  }

  toString() {
    return `${this.#x},${this.#y}`;
  }
}

function parse(text) {
  const [x, y] = text.split(',').map(Number);
  return new Point(y, x);
}

module.exports = { Point, parse };
