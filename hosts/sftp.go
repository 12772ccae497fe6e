package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// sftp brings the file to a host that has no gzip. It is written beside its final name
// and renamed, so that a cut leaves no half of a program under a name that promises a whole.
func (u *upload) sftp(ctx context.Context, h *Host) (err error) {
	source, err := os.Open(u.file.path)
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
	part := fmt.Sprintf("%s.%d.part", u.remote, time.Now().UnixNano())
	target, err := client.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = client.Remove(part)
		}
	}()
	if _, err := io.Copy(target, io.TeeReader(source, u.progress(0))); err != nil {
		return errors.Join(err, target.Close())
	}
	if err := target.Chmod(0o700); err != nil {
		return errors.Join(err, target.Close())
	}
	if err := target.Close(); err != nil {
		return err
	}
	return client.PosixRename(part, u.remote)
}

// sftp starts the SFTP subsystem. Many writes in flight keep a far host's line busy; the
// checksum afterwards finds a hole that a cut may leave.
func (h *Host) sftp(ctx context.Context) (*sftp.Client, error) {
	session, err := h.session(ctx)
	if err != nil {
		return nil, err
	}
	type result struct {
		client *sftp.Client
		err    error
	}
	done := make(chan result, 1)
	go func() {
		client, err := openSFTP(session)
		done <- result{client, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("SFTP: %w; install gzip there, or check the Subsystem line of its sshd_config, and that the login shell prints nothing where it is not interactive", r.err)
		}
		return r.client, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("SFTP: no answer: %w", ctx.Err())
	}
}

func openSFTP(session *ssh.Session) (*sftp.Client, error) {
	if err := session.RequestSubsystem("sftp"); err != nil {
		return nil, err
	}
	stdin, err := session.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := session.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return sftp.NewClientPipe(stdout, stdin, sftp.UseConcurrentWrites(true))
}
