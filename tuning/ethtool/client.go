// Package ethtool reads and sets what ethtool(8) shows of a NIC with -l (channels), -g
// (rings), -c (coalescing) and -k (features). It speaks generic netlink to the kernel's
// family "ethtool" (Documentation/networking/ethtool-netlink.rst), of which the last of
// these came with Linux 5.8.
//
// It is the wire and no more: it keeps nothing, puts nothing back and chooses nothing.
// It must know no ledger, no profile and no file under /sys, and imports no other
// package of this project.
package ethtool

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Client asks the kernel about the NICs of one network namespace. Its methods may be
// called concurrently.
//
// Their errors are of type *Error.
type Client struct {
	conn   *genetlink.Conn
	family genetlink.Family
}

// Dial opens a client in the network namespace of the calling thread.
func Dial() (*Client, error) {
	conn, err := genetlink.Dial(nil)
	if err != nil {
		return nil, fmt.Errorf("ethtool: opening a generic netlink socket: %w", err)
	}
	// Without it the kernel gives an errno and keeps the sentence that explains it.
	if err := conn.SetOption(netlink.ExtendedAcknowledge, true); err != nil {
		return nil, errors.Join(fmt.Errorf("ethtool: asking netlink for its error messages: %w", err), conn.Close())
	}
	c, err := New(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return c, nil
}

// New makes a client of a connection, which becomes its own. At an error the connection
// is left open.
func New(conn *genetlink.Conn) (*Client, error) {
	family, err := conn.GetFamily(unix.ETHTOOL_GENL_NAME)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("ethtool: this kernel has no generic netlink family %q, which came with Linux 5.6 (CONFIG_ETHTOOL_NETLINK); use a newer kernel: %w", unix.ETHTOOL_GENL_NAME, err)
	}
	if err != nil {
		return nil, fmt.Errorf("ethtool: finding the generic netlink family %q: %w", unix.ETHTOOL_GENL_NAME, err)
	}
	return &Client{conn: conn, family: family}, nil
}

// Close closes the connection. What was set stays.
func (c *Client) Close() error {
	if err := c.conn.Close(); err != nil {
		return fmt.Errorf("ethtool: closing the generic netlink socket: %w", err)
	}
	return nil
}

// Error is what went wrong with one question about a NIC.
type Error struct {
	NIC string
	// Asked is what was asked, as in "setting rings rx 4096".
	Asked string
	// Err holds the kernel's own words where it has any. errors.As finds the unix.Errno in
	// it: ENODEV where the NIC is gone, EOPNOTSUPP where its driver (or the kernel) can't do
	// what was asked, EINVAL where it does not take the value.
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("NIC %s: %s: %v", e.NIC, e.Asked, e.Err) }

// Unwrap is Err.
func (e *Error) Unwrap() error { return e.Err }

// request is one message about a NIC. Every kind of message has its header in the
// attribute 1.
type request struct {
	nic     string
	command uint8
	// body adds the attributes that follow the header; nil means none.
	body func(*netlink.AttributeEncoder)
}

// query sends a request that is answered by one message of the kind reply.
func (c *Client) query(r request, reply uint8) ([]byte, error) {
	messages, err := c.execute(r, netlink.Request)
	if err != nil {
		return nil, err
	}
	if len(messages) != 1 || messages[0].Header.Command != reply {
		return nil, fmt.Errorf("the kernel answered request %d with %d messages, where one of kind %d was due", r.command, len(messages), reply)
	}
	return messages[0].Data, nil
}

// command sends a request that is answered by an acknowledgement.
func (c *Client) command(r request) error {
	_, err := c.execute(r, netlink.Request|netlink.Acknowledge)
	return err
}

func (c *Client) execute(r request, flags netlink.HeaderFlags) ([]genetlink.Message, error) {
	// The kernel reads a name up to its first NUL, which may be another NIC's.
	if r.nic == "" || strings.ContainsRune(r.nic, 0) {
		return nil, fmt.Errorf("%q is no name of a NIC; write it as in eth0: %w", r.nic, unix.EINVAL)
	}
	e := netlink.NewAttributeEncoder()
	e.Nested(headerAttribute, func(h *netlink.AttributeEncoder) error {
		h.String(unix.ETHTOOL_A_HEADER_DEV_NAME, r.nic)
		return nil
	})
	if r.body != nil {
		r.body(e)
	}
	data, err := e.Encode()
	if err != nil {
		return nil, err
	}
	messages, err := c.conn.Execute(genetlink.Message{
		Header: genetlink.Header{Command: r.command, Version: unix.ETHTOOL_GENL_VERSION},
		Data:   data,
	}, c.family.ID, flags)
	return messages, explain(err)
}

// headerAttribute is ETHTOOL_A_CHANNELS_HEADER, ETHTOOL_A_RINGS_HEADER and so on, which
// are all the same number.
const headerAttribute = 1

// explain turns what netlink says of an error into the kernel's sentence and its errno.
func explain(err error) error {
	var op *netlink.OpError
	var errno unix.Errno
	if !errors.As(err, &op) || !errors.As(op.Err, &errno) {
		return err
	}
	if op.Message != "" {
		return fmt.Errorf("%s (%w)", op.Message, errno)
	}
	return errno
}
