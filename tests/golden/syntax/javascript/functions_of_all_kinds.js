#!/usr/bin/env node
function plain(a, b = [1, 2]) { return a; }
async function* stream({ x, y }, ...rest) { yield x; }
const arrow = (n) => n + 1;
const block = async n => { return n; };
export class Stack {
  static #size = 0;
  constructor(items) { this.items = items; }
  get top() { return this.items[0]; }
  push = (item) => { this.items.push(item); };
  async [Symbol.iterator]() { function inner() {} }
}
Stack.prototype.pop = function () { return 1; };
module.exports.run = function run(it) { it(() => 1); };
const tools = { trim(text) { return text; }, 'odd name': (x) => x };
list.map((x) => x);
