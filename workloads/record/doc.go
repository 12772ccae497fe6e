// Package record is one call with typed fields, a question for the balance of an account and
// its answer, as ZAP messages and as JSON: what it costs to read and to write structured
// data in either, on its own and behind a server.
//
// It knows only bytes, not how they come or who sends them.
package record
