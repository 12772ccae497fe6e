// Package zaphttp is HTTP's requests and responses as frames of the ZAP wire: it writes them
// to a buffer, and cuts them from a stream and reads them, without an allocation once the
// caller's buffers are warm.
//
// It knows only bytes. Whose requests they are, who answers them and over what connection is
// not its business; nor does it know any HTTP library.
//
// A frame is a length in 4 big-endian bytes and one ZAP message. Its type is the upper byte of
// the message's flags. A connection carries one exchange after the other, in order, and
// nothing before the first; the dialect of the header fields is agreed on by other means.
//
// Frames come from strangers. What HTTP could not carry in one piece is refused on reading
// and on writing: a method or a field's name that is no token, control characters anywhere,
// a blank in a target. So are values that overlap, that stand in another order than all
// writers put them in, or that lie outside their message, a second Host, and whatever
// exceeds the limits. A length alone makes a reader hold little (see Reader).
package zaphttp
