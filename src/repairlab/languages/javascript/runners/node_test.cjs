'use strict';
// A reporter of node:test, which is also loaded before all else; see channel.cjs. Starts inside the sandbox.

const channel = require('./channel.cjs');

const SEPARATOR = ' > ';
const path = [];

function reason(error) {
  const cause = error && error.cause !== undefined ? error.cause : error;
  return cause && cause.message ? `${cause.name || 'Error'}: ${cause.message}` : `${cause}`;
}

function status(event) {
  const { data } = event;
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  if (data.todo !== undefined && data.todo !== false) return event.type === 'test:pass' ? 'xpassed' : 'xfailed';
  return event.type === 'test:pass' ? 'passed' : 'failed';
}

module.exports = async function* report(source) {
  for await (const event of source) {
    const { type, data } = event;
    if (type !== 'test:start' && type !== 'test:pass' && type !== 'test:fail') continue;
    path.length = data.nesting;
    path[data.nesting] = data.name;
    const test = `${channel.prefix}${path.slice(0, data.nesting + 1).join(SEPARATOR)}`;
    if (!channel.tests.includes(test)) continue;
    if (type === 'test:start') {
      channel.start(test);
    } else {
      channel.end(test, status(event), type === 'test:fail' ? reason(data.details && data.details.error) : '');
    }
  }
  channel.done();
};
