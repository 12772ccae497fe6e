package hosts

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
)

// A form is how a file travels, by the name of what unpacks it on the host.
type form string

const (
	raw     form = "cat"
	gzipped form = "gzip -dc"
)

// receive is what a host does with an upload; $0 is the file, $1 its SHA-256, $2 its size
// and $3 the form. It says "there"; else "send" with the bytes it has already, reads the
// rest, and says "done", "damaged", or "short" where not all has come.
//
// The part is named after the shell that writes it: one whose shell has ended was left by
// a cut connection or by another form, and is taken over, which mv grants to one of us. What
// has another reason, a full disk say, leaves no part. OpenSSL is asked first as its
// checksum takes a third of the time where the CPU has instructions for it. No login shell
// reads any of this but as one word: it has no single quote and no line break.
const receive = `umask 077; LC_ALL=C; export LC_ALL; echo benchlab:; want=$1; ` +
	`sum() { openssl dgst -sha256 -r 2>/dev/null || sha256sum; }; ` +
	`intact() { case $(sum < "$1") in "$want "*) ;; *) false;; esac; }; ` +
	`if [ "$(stat -c "%a %s" "$0" 2>/dev/null)" = "700 $2" ] && intact "$0"; then echo there; exit; fi; ` +
	`mkdir -p "${0%/*}" || exit; ` +
	`part=$0.$$.part; ` +
	`for left in "$0".*.part; do pid=${left%.part}; pid=${pid##*.}; ` +
	`if [ -f "$left" ] && [ ! -d "/proc/$pid" ]; then mv "$left" "$part" 2>/dev/null && break; fi; done; ` +
	`: >> "$part" || exit; echo "send $(stat -c %s "$part")"; ` +
	`why=$($3 2>&1 >> "$part") || { case $why in *"unexpected end of file"*) ;; *) rm -f "$part";; esac; echo "$why" >&2; exit 1; }; ` +
	`[ "$(stat -c %s "$part")" -ge "$2" ] || { echo short; exit; }; ` +
	`intact "$part" || { rm -f "$part"; echo damaged; exit; }; ` +
	`chmod 700 "$part" && mv "$part" "$0" && echo done`

// stream runs receive and returns its last word.
func (u *upload) stream(ctx context.Context, h *Host, f form) (string, error) {
	session, err := h.session(ctx)
	if err != nil {
		return "", err
	}
	type result struct {
		answer string
		err    error
	}
	done := make(chan result, 1)
	go func() {
		answer, err := u.converse(session, h, f)
		done <- result{answer, err}
	}()
	select {
	case r := <-done:
		_ = session.Close() // it has ended
		return r.answer, r.err
	case <-ctx.Done():
		_ = session.Close() // for the host a cut: the part stays
		return "", fmt.Errorf("not done: %w", ctx.Err())
	}
}

func (u *upload) converse(session *ssh.Session, h *Host, f form) (string, error) {
	stdin, err := session.StdinPipe()
	if err != nil {
		return "", err
	}
	stdout, err := session.StdoutPipe()
	if err != nil {
		return "", err
	}
	stderr := &tail{}
	session.Stderr = stderr
	command := fmt.Sprintf("exec /bin/sh -c %s %s %s %d %s", quote(receive), quote(u.remote), u.sum, u.file.size, quote(string(f)))
	if err := session.Start(command); err != nil {
		return "", err
	}
	lines := bufio.NewReaderSize(stdout, greetingLimit)
	answer, err := u.answer(lines, true)
	var sendErr error
	if size, ok := strings.CutPrefix(answer, "send "); ok && err == nil {
		var from int64
		if from, err = strconv.ParseInt(size, 10, 64); err == nil {
			if f == gzipped {
				sendErr = u.sendGzipped(stdin, from)
			} else {
				sendErr = u.sendRaw(stdin, h, from)
			}
			answer, err = u.answer(lines, false)
		}
	}
	// The exit status and what stands on stderr say more than a pipe that broke.
	if waitErr := session.Wait(); waitErr != nil {
		return "", fmt.Errorf("%w%s", waitErr, said(stderr))
	}
	return answer, errors.Join(err, sendErr)
}

// answer reads one line of what receive says. What a login script prints comes before.
func (u *upload) answer(lines *bufio.Reader, first bool) (string, error) {
	for range greetingLimit {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return "", fmt.Errorf("the host's shell ended: %w", err)
		}
		if !first {
			return string(bytes.TrimSpace(line)), nil
		}
		first = !bytes.HasSuffix(line, []byte("benchlab:\n"))
	}
	return "", errors.New("the login shell of the user prints too much")
}

// sendGzipped writes the file from an offset on, compressed, and closes the pipe.
func (u *upload) sendGzipped(stdin io.WriteCloser, from int64) error {
	progress := u.progress(from)
	// What is beyond the end is another file's: receive finds the sum wrong. It wants a gzip
	// member all the same, an empty one.
	for at := min(from, u.file.size); ; at = u.file.end(at) {
		packed, err := u.file.from(at)
		if err != nil {
			return err
		}
		if _, err := stdin.Write(packed); err != nil {
			return err
		}
		end := u.file.end(at)
		progress.add(end - at)
		if end == u.file.size {
			break
		}
	}
	return stdin.Close()
}
