'use strict';

function same(one, other) {
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

module.exports = { same };
