package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// sudoAsks is the prompt that sudo is given, so that its question is known among whatever
// else stands on stderr.
const sudoAsks = "benchlab: password for sudo? "

var errWrongPassword = errors.New("sudo refuses the password")

// sudoPrompt answers sudo's question with a password: when it is asked, so that a sudo
// that asks nothing does not leave the password to the agent; once, so that a wrong one
// does not lock the user out. It passes everything else on.
type sudoPrompt struct {
	*tail
	stdin    io.Writer
	password string
	// again is called when sudo asks a second time.
	again func()
	seen  []byte
	asked int
}

func (s *sudoPrompt) Write(b []byte) (int, error) {
	s.seen = append(s.seen, b...)
	for {
		before, after, found := bytes.Cut(s.seen, []byte(sudoAsks))
		if !found {
			break
		}
		if _, err := s.tail.Write(before); err != nil {
			return 0, err
		}
		s.seen = after
		switch s.asked++; s.asked {
		case 1:
			if _, err := io.WriteString(s.stdin, s.password+"\n"); err != nil {
				return 0, err
			}
		case 2:
			s.again()
		}
	}
	// The end may be the beginning of a question.
	keep := 0
	for n := min(len(s.seen), len(sudoAsks)-1); n > 0; n-- {
		if strings.HasPrefix(sudoAsks, string(s.seen[len(s.seen)-n:])) {
			keep = n
			break
		}
	}
	if _, err := s.tail.Write(s.seen[:len(s.seen)-keep]); err != nil {
		return 0, err
	}
	s.seen = append([]byte(nil), s.seen[len(s.seen)-keep:]...)
	return len(b), nil
}

// sudoHint says in a user's words why sudo did not run the agent; empty if sudo is not to
// blame.
func sudoHint(text string) string {
	switch {
	case strings.Contains(text, "a password is required"):
		return fmt.Sprintf("sudo wants a password (%s); say where it is (become_password), allow the user to run it without (NOPASSWD in sudoers), or log in as root", text)
	case strings.Contains(text, "you must have a tty"), strings.Contains(text, "no tty present"):
		return fmt.Sprintf("sudo wants a terminal (%s); take requiretty out of its sudoers (Defaults !requiretty), or log in as root", text)
	case strings.Contains(text, "not in the sudoers file"), strings.Contains(text, "is not allowed to"), strings.Contains(text, "may not run sudo"):
		return fmt.Sprintf("sudo does not let the user become root (%s); add a rule for it to sudoers, or log in as root", text)
	case strings.Contains(text, "sudo") && (strings.Contains(text, "not found") || strings.Contains(text, "No such file")):
		return fmt.Sprintf("sudo is not installed there (%s); install it, or log in as root", text)
	}
	return ""
}
