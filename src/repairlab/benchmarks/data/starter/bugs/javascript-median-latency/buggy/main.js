'use strict';

const fs = require('fs');
const { median, largest } = require('./stats.js');

const byHost = new Map();
for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
  const [host, text] = line.trim().split(/\s+/);
  const value = Number(text);
  if (!host || Number.isNaN(value)) {
    continue;
  }
  if (!byHost.has(host)) {
    byHost.set(host, []);
  }
  byHost.get(host).push(value);
}

for (const host of [...byHost.keys()].sort()) {
  const values = byHost.get(host);
  console.log(`${host} ${values.length} ${median(values).toFixed(1)} ${largest(values)}`);
}
