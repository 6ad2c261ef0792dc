'use strict';

const fs = require('fs');
const { count, top } = require('./count.js');

const [head, ...lines] = fs.readFileSync(0, 'utf8').split('\n');
const n = Number(head);
for (const [word, times] of top(count(lines.join('\n')), n)) {
  console.log(`${word} ${times}`);
}
