package zaphttp

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// appendJSON writes {"Name":["value",…],…} with the names in the order of their bytes; no
// fields, no block.
func (c *Codec) appendJSON(dst []byte, fields []Field, length int) []byte {
	start := len(dst)
	dst = append(dst, '{')
	var last []byte
	for {
		// The least name behind the last one. Looking for it anew each time is slow for
		// many names, but needs no memory.
		var name []byte
		for i := range fields {
			n := fields[i].Name
			if bytes.Compare(n, last) > 0 && (name == nil || bytes.Compare(n, name) < 0) && c.sent(n) {
				name = n
			}
		}
		if name == nil {
			break
		}
		dst = append(appendString(dst, name), ':')
		separator := byte('[')
		for i := range fields {
			if bytes.Equal(fields[i].Name, name) {
				dst = appendString(append(dst, separator), fields[i].Value)
				separator = ','
			}
		}
		dst = append(dst, "],"...)
		last = name
	}
	if length > 0 {
		dst = append(dst, `"Content-Length":["`...)
		dst = strconv.AppendInt(dst, int64(length), 10)
		dst = append(dst, `"],`...)
	}
	if dst[len(dst)-1] == '{' {
		return dst[:start]
	}
	dst[len(dst)-1] = '}'
	return dst
}

const hexDigits = "0123456789abcdef"

// appendString writes a string as encoding/json does for HTML. Of the control characters only
// the tab gets here. Bytes that are not UTF-8 become U+FFFD, for lack of another way.
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', s[0])
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '<' || r == '>' || r == '&':
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[r>>4], hexDigits[r&0xf])
		case r == '\u2028':
			dst = append(dst, `\u2028`...)
		case r == '\u2029':
			dst = append(dst, `\u2029`...)
		case r == utf8.RuneError && n == 1:
			dst = append(dst, `\ufffd`...)
		default:
			dst = append(dst, s[:n]...)
		}
		s = s[n:]
	}
	return append(dst, '"')
}

// json reads a block of JSON. Strings that are not as they stand in the block go to text.
func (k *block) json(b []byte, text *[]byte) error {
	if len(b) == 0 {
		return nil
	}
	if !utf8.Valid(b) {
		return malformed("the header block is not UTF-8")
	}
	s := scanner{rest: b, text: text}
	if !s.object(k) {
		if s.failed != nil {
			return s.failed
		}
		return malformed(`the header block is not {"name":["value",…],…} at byte %d`, len(b)-len(s.rest))
	}
	return nil
}

// A scanner walks the JSON of a block. Its methods return false where the next thing is
// another one.
type scanner struct {
	rest []byte
	text *[]byte
	// failed is what is wrong with a field, rather than with the JSON.
	failed error
}

// object walks the whole block.
func (s *scanner) object(k *block) bool {
	if !s.take('{') {
		return false
	}
	if !s.take('}') {
		for {
			name, ok := s.string()
			if !ok || !s.take(':') || !s.values(k, name) {
				return false
			}
			if s.take('}') {
				break
			}
			if !s.take(',') {
				return false
			}
		}
	}
	s.space()
	return len(s.rest) == 0
}

// values walks the list of one name.
func (s *scanner) values(k *block, name []byte) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for {
		value, ok := s.string()
		if !ok {
			return false
		}
		if s.failed = k.add(name, value); s.failed != nil {
			return false
		}
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *scanner) space() { s.rest = bytes.TrimLeft(s.rest, " \t\r\n") }

// take passes over blanks and one byte.
func (s *scanner) take(c byte) bool {
	s.space()
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// string takes a string: as it stands, where it has no escapes.
func (s *scanner) string() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	for i, c := range s.rest {
		switch {
		case c == '"':
			value := s.rest[:i:i]
			s.rest = s.rest[i+1:]
			return value, true
		case c == '\\':
			return s.escaped(i)
		case c < blank:
			return nil, false
		}
	}
	return nil, false
}

// escaped takes a string whose first escape is at a place. Text has room: see parseMessage.
func (s *scanner) escaped(first int) ([]byte, bool) {
	start := len(*s.text)
	*s.text = append(*s.text, s.rest[:first]...)
	s.rest = s.rest[first:]
	for len(s.rest) > 0 {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case c == '"':
			return (*s.text)[start:len(*s.text):len(*s.text)], true
		case c < blank:
			return nil, false
		case c != '\\':
			*s.text = append(*s.text, c)
		default:
			if !s.escape() {
				return nil, false
			}
		}
	}
	return nil, false
}

// escape takes what follows a backslash.
func (s *scanner) escape() bool {
	if len(s.rest) == 0 {
		return false
	}
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch c {
	case '"', '\\', '/':
		*s.text = append(*s.text, c)
	case 'b':
		*s.text = append(*s.text, '\b')
	case 'f':
		*s.text = append(*s.text, '\f')
	case 'n':
		*s.text = append(*s.text, '\n')
	case 'r':
		*s.text = append(*s.text, '\r')
	case 't':
		*s.text = append(*s.text, '\t')
	case 'u':
		r, ok := s.unit()
		if !ok {
			return false
		}
		if utf16.IsSurrogate(r) {
			r = s.pair(r)
		}
		*s.text = utf8.AppendRune(*s.text, r)
	default:
		return false
	}
	return true
}

// unit takes four hexadecimal digits.
func (s *scanner) unit() (r rune, ok bool) {
	if len(s.rest) < 4 {
		return 0, false
	}
	for _, c := range s.rest[:4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	s.rest = s.rest[4:]
	return r, true
}

// pair takes the second half of a character of two; a half alone is U+FFFD.
func (s *scanner) pair(first rune) rune {
	if !bytes.HasPrefix(s.rest, []byte(`\u`)) {
		return utf8.RuneError
	}
	ahead := scanner{rest: s.rest[2:]}
	second, ok := ahead.unit()
	if !ok {
		return utf8.RuneError
	}
	r := utf16.DecodeRune(first, second)
	if r != utf8.RuneError {
		s.rest = ahead.rest
	}
	return r
}
