'use strict';
// The report of test runs: JSON lines on file descriptor 3, each with the nonce that standard input brings.
// It is loaded before any code under test, which may patch modules and prototypes: all that is needed later is bound here.

const fs = require('node:fs');

const { stringify } = JSON;
const { create } = Object;
const write = fs.writeSync.bind(fs);
const leave = process.reallyExit.bind(process);
const now = process.hrtime.bigint.bind(process);
const usage = process.cpuUsage.bind(process);
const number = Number;
const request = JSON.parse(fs.readFileSync(0, 'utf8'));
const LONGEST_MESSAGE = 2000;

// Code under test must find neither the nonce nor this file by asking for modules.
delete require.cache[__filename];

let began = create(null);
let failed = false;

function send(event) {
  const line = `{"nonce":${stringify(request.nonce)}`;
  let rest = '';
  for (const name in event) {
    rest += `,${stringify(name)}:${stringify(event[name])}`;
  }
  write(3, `${line}${rest}}\n`);
}

function record(fields) {
  const event = create(null);
  for (const name in fields) {
    event[name] = fields[name];
  }
  return event;
}

module.exports = {
  tests: request.tests,
  file: request.file,
  prefix: `${request.file}::`,
  stop: request.stop,
  start(test) {
    began = create(null);
    began.cpu = usage();
    began.wall = now();
    send(record({ event: 'start', test }));
  },
  end(test, status, message) {
    failed = failed || status !== 'passed';
    const used = began.cpu ? usage(began.cpu) : { user: 0, system: 0 };
    const wall = began.wall ? number(now() - began.wall) / 1e9 : 0;
    const text = `${message || ''}`.slice(0, LONGEST_MESSAGE);
    send(record({ event: 'end', test, status, message: text, cpu_s: (used.user + used.system) / 1e6, wall_s: wall }));
  },
  error(message) {
    send(record({ event: 'error', message: `${message}`.slice(0, LONGEST_MESSAGE) }));
  },
  // A tool of ours is missing: nothing can be said of the code under test.
  unable(message) {
    send(record({ event: 'unable', message }));
    leave(1);
  },
  // Something that is no test went wrong when all tests passed and yet the process is to end with a failure.
  done() {
    const sound = failed || !process.exitCode;
    if (sound) {
      send(record({ event: 'done' }));
    }
    leave(sound ? 0 : 1);
  },
};
