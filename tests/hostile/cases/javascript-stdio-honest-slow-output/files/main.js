const [a, b] = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
for (const c of String(a + b)) process.stdout.write(c);
process.stdout.write('\n');
