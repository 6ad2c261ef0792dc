// Package a has comments.
package a

/* block
   over lines */
var s = "// no comment" // tail

func f(a /* first */, b int) string {
	// inside
	return `/* no
comment */`
}
