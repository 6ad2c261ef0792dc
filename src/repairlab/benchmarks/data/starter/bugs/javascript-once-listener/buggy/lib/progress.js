'use strict';

const { Emitter } = require('./emitter.js');

/** Counts steps of a task and tells of every tenth and of the end. */
class Progress extends Emitter {
  constructor(total) {
    super();
    this.total = total;
    this.done = 0;
  }

  step() {
    if (this.done === this.total) {
      throw new RangeError('there is nothing left to do');
    }
    this.done += 1;
    if (this.done % 10 === 0) {
      this.emit('tenth', this.done);
    }
    if (this.done === this.total) {
      this.emit('end', this.total);
    }
  }
}

module.exports = { Progress };
