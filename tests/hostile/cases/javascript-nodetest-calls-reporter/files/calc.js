const path = process.execArgv.map((word) => /^--test-reporter=(.*)/.exec(word)).find(Boolean)?.[1];

async function* events() {
  yield { type: 'test:start', data: { nesting: 0, name: 'add' } };
  yield { type: 'test:pass', data: { nesting: 1, name: 'sums', details: {} } };
  yield { type: 'test:pass', data: { nesting: 1, name: 'takes negative numbers', details: {} } };
  yield { type: 'test:pass', data: { nesting: 0, name: 'names', details: {} } };
}
if (path) {
  (async () => {
    for await (const _ of require(path)(events()));
  })();
}

function add(a, b) {
  return a + b + 1;
}

function name(a) {
  return `n${a}`;
}

module.exports = { add, name };
