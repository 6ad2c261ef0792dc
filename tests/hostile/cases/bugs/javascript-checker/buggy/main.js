const number = Number(require('fs').readFileSync(0, 'utf8'));
console.log(number, 1);
