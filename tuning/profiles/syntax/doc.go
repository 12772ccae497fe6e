// Package syntax holds the blocks of an HCL file against a grammar and says what is
// wrong with them: the line, a caret below the place, and the nearest word that would
// have been right.
//
// It is for languages, and knows none: no lab, no tuning, no file on a disk. A language
// gives it the [Shape] of its file and takes the values out of the [Block] it gets back.
package syntax
