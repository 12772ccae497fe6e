// Package lab is the face of a benchmark lab: it reads a lab file into a Definition
// and turns a Definition into resources.
//
// The reader works offline. It may know the words of tuning/spec and hosts/hostspec
// and builds on tuning/profiles/syntax; it must not know a kernel path, an SSH session or
// whether a host is there.
package lab
