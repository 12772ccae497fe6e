package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/pkg/sftp"
)

// uploadTimeout bounds the sending of one file.
const uploadTimeout = 5 * time.Minute

// Upload brings a local file to a path made of its name and SHA-256, executable by its
// owner only, and returns that path. A file that is there already and intact is not
// sent again.
func (h *Host) Upload(ctx context.Context, local string) (string, error) {
	h.upload.Lock()
	defer h.upload.Unlock()
	info, err := os.Stat(local)
	if err != nil {
		return "", err
	}
	version := fmt.Sprint(local, info.Size(), info.ModTime().UnixNano())
	if remote, ok := h.uploaded[version]; ok {
		return remote, nil
	}
	sum, err := SHA256(local)
	if err != nil {
		return "", err
	}
	remote := path.Join(h.system.dir, filepath.Base(local)+"-"+sum[:16])
	found, err := h.remoteSHA256(ctx, remote)
	if err != nil {
		return "", err
	}
	if found != sum {
		if err := h.send(ctx, local, remote); err != nil {
			return "", fmt.Errorf("upload %s to %s: %w", filepath.Base(local), remote, err)
		}
		if found, err = h.remoteSHA256(ctx, remote); err != nil {
			return "", err
		}
		if found != sum {
			return "", fmt.Errorf("upload %s: SHA-256 is %s here and %q there; is the disk full?", remote, sum, found)
		}
	}
	h.uploaded[version] = remote
	return remote, nil
}

// forgetUploads is called when the agent may have removed them.
func (h *Host) forgetUploads() {
	h.upload.Lock()
	defer h.upload.Unlock()
	clear(h.uploaded)
}

// remoteSHA256 returns the checksum of a program on the host, empty where there is none
// with the mode of an upload.
func (h *Host) remoteSHA256(ctx context.Context, file string) (string, error) {
	out, err := h.run(ctx, fmt.Sprintf(`exec /bin/sh -c 'echo benchlab:; test "$(stat -c %%a "$0" 2>/dev/null)" != 700 || sha256sum "$0"' %s`, quote(file)))
	if err != nil {
		return "", fmt.Errorf("checksum of %s: %w", file, err)
	}
	_, line, _ := strings.Cut(out, "benchlab:\n") // a login script may print, too
	sum, _, _ := strings.Cut(line, " ")
	return strings.TrimSpace(sum), nil
}

// send writes the file beside its final name and renames it, so that a cut leaves no
// half of a program under a name that promises a whole.
func (h *Host) send(ctx context.Context, local, remote string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	source, err := os.Open(local)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	client, err := h.sftp(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = client.Close() })
	defer stop()
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
	}()
	if err := client.MkdirAll(path.Dir(remote)); err != nil {
		return fmt.Errorf("make %s: %w", path.Dir(remote), err)
	}
	part := fmt.Sprintf("%s.%d.part", remote, time.Now().UnixNano())
	target, err := client.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = client.Remove(part)
		}
	}()
	if _, err := io.Copy(target, source); err != nil {
		return errors.Join(err, target.Close())
	}
	if err := target.Chmod(0o700); err != nil {
		return errors.Join(err, target.Close())
	}
	if err := target.Close(); err != nil {
		return err
	}
	return client.PosixRename(part, remote)
}

// sftp starts the SFTP subsystem. Many writes in flight keep a far host's line busy; the
// checksum afterwards finds a hole that a cut may leave.
func (h *Host) sftp(ctx context.Context) (*sftp.Client, error) {
	type result struct {
		client *sftp.Client
		err    error
	}
	done := make(chan result, 1)
	go func() {
		client, err := sftp.NewClient(h.ssh, sftp.UseConcurrentWrites(true))
		done <- result{client, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("SFTP: %w; check the Subsystem line of its sshd_config, and that the login shell prints nothing where it is not interactive", r.err)
		}
		return r.client, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("SFTP: no answer: %w", ctx.Err())
	}
}
