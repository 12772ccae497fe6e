package hosts

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// UploadTimeout bounds the sending of one file.
const UploadTimeout = 5 * time.Minute

// Upload brings a local file to a path made of its name and SHA-256, executable by its
// owner only, and returns that path. A file that is there already and intact is not
// sent again; one of which a cut connection has left a part is sent from there on.
func (h *Host) Upload(ctx context.Context, local string) (string, error) {
	remote, err := h.bring(ctx, local)
	if err != nil {
		return "", fmt.Errorf("%s: %w", h.connection, h.orLost(err))
	}
	return remote, nil
}

func (h *Host) bring(ctx context.Context, local string) (string, error) {
	h.upload.Lock()
	defer h.upload.Unlock()
	file, err := h.files.file(local)
	if err != nil {
		return "", err
	}
	if remote, ok := h.uploaded[file.version]; ok {
		return remote, nil
	}
	sum, err := file.sum()
	if err != nil {
		return "", err
	}
	u := upload{
		trace: traceOf(ctx), file: file, sum: sum,
		remote: path.Join(h.system.dir, filepath.Base(local)+"-"+sum[:16]),
	}
	ctx, cancel := context.WithTimeout(ctx, UploadTimeout)
	defer cancel()
	err = u.bring(ctx, h)
	if errors.Is(err, errNoSession) {
		err = u.bringApart(ctx, h)
	}
	if err != nil {
		return "", fmt.Errorf("upload %s to %s: %w%s", filepath.Base(local), u.remote, err, file.hint(err))
	}
	h.uploaded[file.version] = u.remote
	return u.remote, nil
}

// forgetUploads is called when the agent may have removed them.
func (h *Host) forgetUploads() {
	h.upload.Lock()
	defer h.upload.Unlock()
	clear(h.uploaded)
}

// hint is the next step after an upload that failed.
func (f *localFile) hint(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "No space left"), strings.Contains(text, "quota exceeded"):
		return fmt.Sprintf("; the disk is full: make room there for the %.1f MB of the file", float64(f.size)/1e6)
	case strings.Contains(text, "Read-only file system"):
		return "; mount it writable: uploads and the ledger of originals stand there"
	case strings.Contains(text, "Permission denied"):
		return "; make the directory the user's own"
	}
	return ""
}

// upload is one file on its way to a host.
type upload struct {
	trace  Trace
	file   *localFile
	remote string
	// sum is the file's SHA-256 in hex.
	sum string
}

// bringApart uploads over a connection of its own, for a server that gives each only one
// session: the agent has it.
func (u *upload) bringApart(ctx context.Context, h *Host) error {
	client, err := dial(ctx, h.connection, h.secrets)
	if err != nil {
		return err
	}
	err = u.bring(ctx, &Host{connection: h.connection, ssh: client, system: h.system})
	return errors.Join(err, client.Close())
}

// bring makes sure that the file is on the host.
func (u *upload) bring(ctx context.Context, h *Host) error {
	answer, err := u.stream(ctx, h)
	if err == nil && answer == "damaged" { // a part that was left there; it is removed now
		answer, err = u.stream(ctx, h)
	}
	if err == nil && answer == "plain" {
		if err := u.sftp(ctx, h); err != nil {
			return err
		}
		if answer, err = u.stream(ctx, h); answer == "plain" {
			answer = "damaged"
		}
	}
	switch {
	case err != nil:
		return err
	case answer == "damaged":
		return errors.New("what arrives there has another SHA-256 than the file here")
	}
	return nil
}

// receive is what a host does with an upload; $0 is the file and $1 its SHA-256. It says
// "there", or "plain" where it has no gzip; else "send" with the bytes it has already,
// reads the rest compressed, and says "done" or "damaged".
//
// The part is named after the shell that writes it: one whose shell has ended was left by
// a cut connection and is taken over, which mv grants to one of us. What has another
// reason than a cut, a full disk say, leaves no part. No login shell reads it but as one
// word: it has no single quote and no line break.
const receive = `umask 077; LC_ALL=C; export LC_ALL; echo benchlab:; ` +
	`if [ "$(stat -c %a "$0" 2>/dev/null)" = 700 ] && [ "$(sha256sum < "$0")" = "$1  -" ]; then echo there; exit; fi; ` +
	`mkdir -p "${0%/*}" || exit; ` +
	`command -v gzip >/dev/null || { echo plain; exit; }; ` +
	`part=$0.$$.part; ` +
	`for left in "$0".*.part; do pid=${left%.part}; pid=${pid##*.}; ` +
	`if [ -f "$left" ] && [ ! -d "/proc/$pid" ]; then mv "$left" "$part" 2>/dev/null && break; fi; done; ` +
	`: >> "$part" || exit; echo "send $(stat -c %s "$part")"; ` +
	`why=$(gzip -dc 2>&1 >> "$part") || { case $why in *"unexpected end of file"*) ;; *) rm -f "$part";; esac; echo "$why" >&2; exit 1; }; ` +
	`[ "$(sha256sum < "$part")" = "$1  -" ] || { rm -f "$part"; echo damaged; exit; }; ` +
	`chmod 700 "$part" && mv "$part" "$0" && echo done`

// stream runs receive and returns its last word.
func (u *upload) stream(ctx context.Context, h *Host) (string, error) {
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
		answer, err := u.converse(session)
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

func (u *upload) converse(session *ssh.Session) (string, error) {
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
	if err := session.Start("exec /bin/sh -c " + quote(receive) + " " + quote(u.remote) + " " + u.sum); err != nil {
		return "", err
	}
	lines := bufio.NewReaderSize(stdout, greetingLimit)
	answer, err := u.answer(lines, true)
	var sendErr error
	if size, ok := strings.CutPrefix(answer, "send "); ok && err == nil {
		var from int64
		if from, err = strconv.ParseInt(size, 10, 64); err == nil {
			sendErr = u.send(stdin, from)
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

// send writes the file from an offset on, compressed, and closes the pipe.
func (u *upload) send(stdin io.WriteCloser, from int64) error {
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

// progress counts what is sent and tells of it.
func (u *upload) progress(from int64) *progress {
	return &progress{sent: from, tell: func(sent int64) {
		const mb = 1e6
		u.trace.Status(fmt.Sprintf("sending %s: %.1f of %.1f MB", filepath.Base(u.file.path), float64(sent)/mb, float64(u.file.size)/mb))
	}}
}

type progress struct {
	sent int64
	last time.Time
	tell func(sent int64)
}

// progressInterval is short enough for a person and long enough for a log.
const progressInterval = 500 * time.Millisecond

func (p *progress) Write(b []byte) (int, error) {
	p.add(int64(len(b)))
	return len(b), nil
}

func (p *progress) add(n int64) {
	p.sent += n
	if now := time.Now(); now.Sub(p.last) >= progressInterval {
		p.last = now
		p.tell(p.sent)
	}
}
