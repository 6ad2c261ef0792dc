'use strict';
// Checks that files are JavaScript, without running any; standard input names them. Starts inside the sandbox.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const GUESSES = Number(process.versions.node.split('.')[0]) >= 22;

function declared(file) {
  if (file.endsWith('.mjs')) return 'module';
  if (file.endsWith('.cjs')) return 'commonjs';
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'package.json');
    if (fs.existsSync(found)) {
      try {
        return JSON.parse(fs.readFileSync(found, 'utf8')).type || '';
      } catch {
        return '';
      }
    }
    if (folder === path.dirname(folder)) return '';
  }
}

function problem(file) {
  const source = fs.readFileSync(file, 'utf8').replace(/^\ufeff/, '').replace(/^#!/, '//');
  const type = declared(path.resolve(file));
  const asModule = () => new vm.SourceTextModule(source, { identifier: file });
  const asScript = () => vm.compileFunction(source, PARAMETERS, { filename: file });
  const ways = type === 'module' ? [asModule] : type === '' && GUESSES ? [asScript, asModule] : [asScript];
  let first = null;
  for (const way of ways) {
    try {
      way();
      return null;
    } catch (error) {
      first = first || error;
    }
  }
  // The stack of a module's error does not begin with its place.
  const told = first.stack.startsWith(file) ? first.stack : spawnSync(process.execPath, ['--check', file]).stderr.toString();
  const place = /^[^\n]*?:(\d+)\n/.exec(told);
  return `${file}:${place ? place[1] : 1}: ${first.name}: ${first.message}`;
}

const files = fs.readFileSync(0, 'utf8').split('\0').filter(Boolean);
const problems = files.map(problem).filter(Boolean);
process.stderr.write(problems.map((line) => `${line}\n`).join(''));
process.exitCode = problems.length ? 1 : 0;
