require('node:test').describe('add', () => {
  require('node:test').it('sums', () => {});
});
