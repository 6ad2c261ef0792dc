'use strict';
// Runs the mocha tests of one file and reports each; see channel.cjs. Starts inside the sandbox.

const channel = require('./channel.cjs');

const nodePath = require('node:path');

const PLACES = ['/usr/share/nodejs', '/usr/lib/node_modules', '/usr/local/lib/node_modules'];
const SEPARATOR = ' > ';

function found() {
  for (const name of ['mocha', ...PLACES.map((place) => `${place}/mocha`)]) {
    try {
      return require.resolve(name, { paths: [process.cwd()] });
    } catch {
      // it may be at the next place
    }
  }
  throw new Error('it is neither in the tree nor on this machine');
}

// No code under test has run yet, and candidates cannot change `node_modules`: what fails here is not their fault.
function load() {
  try {
    return require(found());
  } catch (error) {
    return channel.unable(`mocha cannot be loaded: ${error.message.split('\n')[0]} (npm install --global mocha)`);
  }
}

async function main() {
  const loaded = load();
  const Mocha = loaded.default ?? loaded;
  const constants = Mocha.Runner.constants;
  const name = (test) => `${channel.prefix}${test.titlePath().join(SEPARATOR)}`;
  const wanted = (test) => channel.tests.includes(name(test));
  const failures = new Map();

  function Reporter(runner) {
    runner.on(constants.EVENT_TEST_BEGIN, (test) => wanted(test) && channel.start(name(test)));
    runner.on(constants.EVENT_TEST_PENDING, (test) => wanted(test) && channel.end(name(test), 'skipped', ''));
    runner.on(constants.EVENT_TEST_FAIL, (test, error) => {
      failures.set(test, error);
      // A hook that fails stands for the tests that it kept from running; they are then not reported, which says enough.
      if (test.type === 'hook') channel.error(`${test.title}: ${error && error.message}`);
    });
    runner.on(constants.EVENT_TEST_END, (test) => {
      if (!wanted(test) || test.isPending()) return;
      const error = failures.get(test);
      const passed = test.state === 'passed' && !error;
      channel.end(name(test), passed ? 'passed' : 'failed', passed ? '' : `${(error && error.message) || error}`);
    });
  }

  const mocha = new Mocha({ reporter: Reporter, ui: 'bdd', bail: channel.stop });
  const escaped = channel.tests.map((test) =>
    test.slice(channel.prefix.length).split(SEPARATOR).join(' ').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  mocha.grep(new RegExp(`^(?:${escaped.join('|')})$`));
  mocha.addFile(nodePath.resolve(channel.file));
  await mocha.loadFilesAsync();
  mocha.run(() => channel.done());
}

main().catch((error) => {
  channel.error(`${error && error.stack ? error.stack.split('\n')[0] : error}`);
  for (const test of channel.tests) channel.end(test, 'uncollected', `${error && error.message}`);
  channel.done();
});
