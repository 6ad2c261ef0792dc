// head
const a = 1; // tail
/* block */ const b = '// no comment';
const c = `/* no ${a /* gone */} comment */`;
const d = /\/\/[/*]/g; /** doc
 over lines */
function f(/* x */ y) {
  return y; // last
}
