// Package zap reads and builds messages of the ZAP wire: one buffer with a header of 16
// bytes, objects whose fields stand at fixed offsets, and what they point at. Nothing is
// parsed ahead and nothing is copied: reading a field is a load, building one is a store.
//
// It knows only bytes: no connection, no schema but the offsets that its caller brings, and
// none of those who use it. HTTP in ZAP frames is package zaphttp.
//
// All numbers are little endian. The wire has no field tags and no object sizes, so both
// ends must know the same offsets. An offset that is a caller's own mistake panics as an
// index into a slice does; what a message says never does, it is an error.
package zap
