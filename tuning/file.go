package tuning

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// files is how a Host reaches kernel files.
type files interface {
	read(path string) ([]byte, error)
	// write puts text into an existing file with one write(2).
	write(path string, text []byte) error
}

// system is the files of the running kernel.
type system struct{}

// read takes the whole file. Files of /proc/sys answer once only, at offset 0, so the
// buffer must hold the value at the first read; os.ReadFile starts with 512 bytes and
// would see the end after it.
func (system) read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read from
	buffer := make([]byte, 64<<10)
	n, err := unix.Read(int(f.Fd()), buffer)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	if n == len(buffer) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: unix.EFBIG}
	}
	return buffer[:n], nil
}

// write never splits the text: each write(2) to a kernel file is a value of its own, so
// a second one would either replace the first or be ignored. It never creates a file.
func (system) write(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	n, err := unix.Write(int(f.Fd()), text)
	if err == nil && n < len(text) {
		err = fmt.Errorf("the kernel took %d of %d bytes", n, len(text))
	}
	if closeErr := f.Close(); err == nil && closeErr != nil {
		return closeErr
	}
	if err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// file is the place of a value that is a file.
type file struct {
	files files
	path  string
}

func (f file) read() ([]byte, error)   { return f.files.read(f.path) }
func (f file) write(text []byte) error { return f.files.write(f.path, text) }
func (f file) String() string          { return f.path }
