package hosts

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"
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
	as := raw
	if h.system.gzip && h.system.roundTrip >= farAway {
		as = gzipped
	}
	for damaged := 0; ; {
		answer, err := u.stream(ctx, h, as)
		switch {
		case err != nil:
			return err
		case answer == "there", answer == "done":
			return nil
		case answer == "short" && as == raw && h.system.gzip: // the line was found slow
			as = gzipped
		case answer == "damaged" && damaged == 0: // a part that was left there; it is removed now
			damaged++
		case answer == "damaged":
			return errors.New("what arrives there has another SHA-256 than the file here")
		default:
			return fmt.Errorf("unexpected answer of the host's shell: %q", answer)
		}
	}
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
