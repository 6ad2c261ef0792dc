'use strict';

/** Calls listeners by the name of an event, in the order in which they were added. */
class Emitter {
  constructor() {
    this.listeners = new Map();
  }

  on(name, listener) {
    if (typeof listener !== 'function') {
      throw new TypeError(`listener of ${name} is no function`);
    }
    const known = this.listeners.get(name);
    if (known) {
      known.push(listener);
    } else {
      this.listeners.set(name, [listener]);
    }
    return () => this.off(name, listener);
  }

  once(name, listener) {
    const remove = this.on(name, (...values) => {
      remove();
      listener(...values);
    });
    return remove;
  }

  off(name, listener) {
    const known = this.listeners.get(name) ?? [];
    const index = known.indexOf(listener);
    if (index >= 0) {
      known.splice(index, 1);
    }
    return index >= 0;
  }

  /** Tells all listeners of an event and returns how many there were. */
  emit(name, ...values) {
    const known = this.listeners.get(name) ?? [];
    let count = 0;
    for (const listener of known) {
      listener(...values);
      count += 1;
    }
    return count;
  }
}

module.exports = { Emitter };
