package ethtool

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/genetlink/genltest"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// The tests of this file are on a fake wire: no NIC with rings or coalescing is at hand
// where they run, so the kernel's side is attributes that the test writes. TestKernel
// has what a real kernel can show.

const fakeFamily = 21

// request that the fake kernel got.
type gotRequest struct {
	command uint8
	flags   netlink.HeaderFlags
	// body is the attributes as text, one a line.
	body string
}

// fakeKernel answers every request with the same messages and keeps the last request.
func fakeKernel(t *testing.T, answer func() ([]genetlink.Message, error)) (*Client, *gotRequest) {
	t.Helper()
	var got gotRequest
	family := genetlink.Family{ID: fakeFamily, Name: unix.ETHTOOL_GENL_NAME, Version: unix.ETHTOOL_GENL_VERSION}
	conn := genltest.Dial(genltest.ServeFamily(family, func(g genetlink.Message, n netlink.Message) ([]genetlink.Message, error) {
		if n.Header.Type != fakeFamily || g.Header.Version != unix.ETHTOOL_GENL_VERSION {
			t.Errorf("family %d, version %d", n.Header.Type, g.Header.Version)
		}
		got = gotRequest{g.Header.Command, n.Header.Flags, hex.EncodeToString(g.Data)}
		return answer()
	}))
	c, err := New(conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, &got
}

// message is one answer of the fake kernel.
func message(command uint8, body ...attribute) func() ([]genetlink.Message, error) {
	return func() ([]genetlink.Message, error) {
		data, err := encoded(append([]attribute{header()}, body...)...)
		return []genetlink.Message{{Header: genetlink.Header{Command: command, Version: 1}, Data: data}}, err
	}
}

// attribute writes itself.
type attribute func(*netlink.AttributeEncoder)

func encoded(attributes ...attribute) ([]byte, error) {
	e := netlink.NewAttributeEncoder()
	for _, a := range attributes {
		a(e)
	}
	return e.Encode()
}

func nest(id uint16, inner ...attribute) attribute {
	return func(e *netlink.AttributeEncoder) {
		e.Nested(id, func(n *netlink.AttributeEncoder) error {
			for _, a := range inner {
				a(n)
			}
			return nil
		})
	}
}

func u32(id uint16, v uint32) attribute {
	return func(e *netlink.AttributeEncoder) { e.Uint32(id, v) }
}
func u8(id uint16, v uint8) attribute { return func(e *netlink.AttributeEncoder) { e.Uint8(id, v) } }

// name is ETHTOOL_A_HEADER_DEV_NAME and ETHTOOL_A_BITSET_BIT_NAME, which are the same number.
func name(v string) attribute  { return func(e *netlink.AttributeEncoder) { e.String(2, v) } }
func flag(id uint16) attribute { return func(e *netlink.AttributeEncoder) { e.Flag(id, true) } }

// header is how a reply begins.
func header() attribute {
	return nest(headerAttribute, u32(unix.ETHTOOL_A_HEADER_DEV_INDEX, 2), name("eth0"))
}

// bitset is the verbose form: a name with "+" is set. A list has no mask.
func bitset(id uint16, list bool, names ...string) attribute {
	var bits []attribute
	for i, entryName := range names {
		plain := strings.TrimPrefix(entryName, "+")
		entry := []attribute{u32(unix.ETHTOOL_A_BITSET_BIT_INDEX, uint32(i)), name(plain)}
		if plain != entryName {
			entry = append(entry, flag(unix.ETHTOOL_A_BITSET_BIT_VALUE))
		}
		bits = append(bits, nest(unix.ETHTOOL_A_BITSET_BITS_BIT, entry...))
	}
	set := []attribute{u32(unix.ETHTOOL_A_BITSET_SIZE, 64), nest(unix.ETHTOOL_A_BITSET_BITS, bits...)}
	if list {
		set = append([]attribute{flag(unix.ETHTOOL_A_BITSET_NOMASK)}, set...)
	}
	return nest(id, set...)
}

func TestFakeWireGet(t *testing.T) {
	for _, tt := range []struct {
		name   string
		group  *Group
		get    uint8
		answer func() ([]genetlink.Message, error)
		want   map[string]Parameter
	}{
		{"rings", Rings, unix.ETHTOOL_MSG_RINGS_GET, message(unix.ETHTOOL_MSG_RINGS_GET_REPLY,
			u32(unix.ETHTOOL_A_RINGS_RX_MAX, 4096), u32(unix.ETHTOOL_A_RINGS_RX, 256),
			u32(unix.ETHTOOL_A_RINGS_TX_MAX, 4096), u32(unix.ETHTOOL_A_RINGS_TX, 512),
			u8(unix.ETHTOOL_A_RINGS_TX_PUSH, 0)),
			map[string]Parameter{"rx": {256, 4096}, "tx": {512, 4096}}},
		{"combined channels", Channels, unix.ETHTOOL_MSG_CHANNELS_GET, message(unix.ETHTOOL_MSG_CHANNELS_GET_REPLY,
			u32(unix.ETHTOOL_A_CHANNELS_OTHER_MAX, 1), u32(unix.ETHTOOL_A_CHANNELS_COMBINED_MAX, 63),
			u32(unix.ETHTOOL_A_CHANNELS_OTHER_COUNT, 1), u32(unix.ETHTOOL_A_CHANNELS_COMBINED_COUNT, 20)),
			map[string]Parameter{"other": {1, 1}, "combined": {20, 63}}},
		{"coalescing", Coalescing, unix.ETHTOOL_MSG_COALESCE_GET, message(unix.ETHTOOL_MSG_COALESCE_GET_REPLY,
			u8(unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, 1), u8(unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX, 0),
			u32(unix.ETHTOOL_A_COALESCE_RX_USECS, 3), u32(unix.ETHTOOL_A_COALESCE_TX_MAX_FRAMES, 0),
			u32(28, 7), nest(29), u32(4711, 1)),
			map[string]Parameter{"adaptive-rx": {Value: 1}, "adaptive-tx": {}, "rx-usecs": {Value: 3}, "tx-frames": {}, "tx-aggr-time-usecs": {Value: 7}}},
		{"nothing but n/a", Channels, unix.ETHTOOL_MSG_CHANNELS_GET, message(unix.ETHTOOL_MSG_CHANNELS_GET_REPLY), map[string]Parameter{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, request := fakeKernel(t, tt.answer)
			got, err := c.Get("eth0", tt.group)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			// The header, NLA_F_NESTED, around the name with its NUL.
			want := gotRequest{tt.get, netlink.Request, "10000180" + "09000200" + "6574683000" + "000000"}
			if *request != want {
				t.Errorf("asked %+v, want %+v", *request, want)
			}
		})
	}
}

func TestFakeWireSet(t *testing.T) {
	const toEth0 = "10000180" + "09000200" + "6574683000" + "000000"
	for _, tt := range []struct {
		name    string
		group   *Group
		values  map[string]uint32
		command uint8
		body    string
	}{
		{"rings", Rings, map[string]uint32{"tx": 4096, "rx": 4096}, unix.ETHTOOL_MSG_RINGS_SET,
			"08000600" + "00100000" + "08000900" + "00100000"},
		{"coalescing has bytes and words", Coalescing, map[string]uint32{"adaptive-rx": 1, "rx-usecs": 50}, unix.ETHTOOL_MSG_COALESCE_SET,
			"05000b00" + "01000000" + "08000200" + "32000000"},
		{"zero is a value", Coalescing, map[string]uint32{"rx-usecs": 0}, unix.ETHTOOL_MSG_COALESCE_SET,
			"08000200" + "00000000"},
		{"channels", Channels, map[string]uint32{"combined": 20}, unix.ETHTOOL_MSG_CHANNELS_SET,
			"08000900" + "14000000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, request := fakeKernel(t, message(0))
			if err := c.Set("eth0", tt.group, tt.values); err != nil {
				t.Fatal(err)
			}
			want := gotRequest{tt.command, netlink.Request | netlink.Acknowledge, toEth0 + tt.body}
			if *request != want {
				t.Errorf("asked %+v, want %+v", *request, want)
			}
		})
	}
}

// What can't be said is not sent.
func TestFakeWireRefusedBeforeTheWire(t *testing.T) {
	for _, tt := range []struct {
		name   string
		nic    string
		values map[string]uint32
		says   []string
	}{
		{"unknown name", "eth0", map[string]uint32{"rx-usec": 1}, []string{"NIC eth0", "setting coalescing", `no "rx-usec"`, "rx-usecs"}},
		{"too large for a byte", "eth0", map[string]uint32{"adaptive-rx": 256}, []string{"adaptive-rx 256", "at most 255"}},
		{"no name", "", map[string]uint32{"rx-usecs": 1}, []string{"no name of a NIC"}},
		{"NUL in the name", "eth0\x00x", map[string]uint32{"rx-usecs": 1}, []string{"no name of a NIC"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, request := fakeKernel(t, message(0))
			err := c.Set(tt.nic, Coalescing, tt.values)
			mustSay(t, err, unix.EINVAL, tt.says...)
			if *request != (gotRequest{}) {
				t.Errorf("sent %+v", *request)
			}
		})
	}
}

func TestFakeWireFeatures(t *testing.T) {
	c, request := fakeKernel(t, message(unix.ETHTOOL_MSG_FEATURES_GET_REPLY,
		bitset(unix.ETHTOOL_A_FEATURES_HW, false, "+rx-gro", "", "+tx-tcp-segmentation", "rx-lro", "+rx-fixed"),
		bitset(unix.ETHTOOL_A_FEATURES_WANTED, true, "rx-gro", "tx-tcp-segmentation"),
		bitset(unix.ETHTOOL_A_FEATURES_ACTIVE, true, "rx-gro", "rx-fixed"),
		bitset(unix.ETHTOOL_A_FEATURES_NOCHANGE, true, "rx-fixed")))
	got, err := c.Features("eth0")
	if err != nil {
		t.Fatal(err)
	}
	want := []Feature{
		{Name: "rx-gro", Active: true, Wanted: true, Changeable: true},
		{Name: "tx-tcp-segmentation", Wanted: true, Changeable: true},
		{Name: "rx-lro"},
		{Name: "rx-fixed", Active: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if request.command != unix.ETHTOOL_MSG_FEATURES_GET || request.flags != netlink.Request {
		t.Errorf("%+v", request)
	}
}

func TestFakeWireSetFeatures(t *testing.T) {
	c, request := fakeKernel(t, message(unix.ETHTOOL_MSG_FEATURES_SET_REPLY,
		bitset(unix.ETHTOOL_A_FEATURES_WANTED, false, "+rx-lro"),
		bitset(unix.ETHTOOL_A_FEATURES_ACTIVE, false, "rx-gro")))
	err := c.SetFeatures("eth0", map[string]bool{"rx-lro": true, "rx-gro": false})
	mustSay(t, err, 0, "NIC eth0", "rx-gro off, rx-lro on", "rx-lro did not change")
	var refused *RefusedError
	if !errors.As(err, &refused) || !cmp.Equal(refused.Features, []string{"rx-lro"}) {
		t.Errorf("%v", refused)
	}
	body, err := encoded(nest(1, name("eth0")),
		nest(unix.ETHTOOL_A_FEATURES_WANTED, nest(unix.ETHTOOL_A_BITSET_BITS,
			nest(unix.ETHTOOL_A_BITSET_BITS_BIT, name("rx-gro")),
			nest(unix.ETHTOOL_A_BITSET_BITS_BIT, name("rx-lro"), flag(unix.ETHTOOL_A_BITSET_BIT_VALUE)))))
	if err != nil {
		t.Fatal(err)
	}
	// With an acknowledgement besides the reply, the next request would find it unread.
	if want := (gotRequest{unix.ETHTOOL_MSG_FEATURES_SET, netlink.Request, hex.EncodeToString(body)}); *request != want {
		t.Errorf("asked %+v, want %+v", *request, want)
	}
}

func TestFakeWireErrors(t *testing.T) {
	for errno, call := range map[unix.Errno]func(*Client) error{
		unix.ENODEV:     func(c *Client) error { _, err := c.Get("eth0", Rings); return err },
		unix.EOPNOTSUPP: func(c *Client) error { return c.Set("eth0", Rings, map[string]uint32{"rx": 1}) },
		unix.EPERM:      func(c *Client) error { return c.SetFeatures("eth0", map[string]bool{"rx-gro": true}) },
		unix.EINVAL:     func(c *Client) error { _, err := c.Features("eth0"); return err },
	} {
		c, _ := fakeKernel(t, func() ([]genetlink.Message, error) { return nil, genltest.Error(int(errno)) })
		mustSay(t, call(c), errno, "NIC eth0")
	}
}

func TestFakeWireDamage(t *testing.T) {
	for what, answer := range map[string]func() ([]genetlink.Message, error){
		"two messages": func() ([]genetlink.Message, error) {
			return make([]genetlink.Message, 2), nil
		},
		"another message": message(unix.ETHTOOL_MSG_PAUSE_GET_REPLY),
		"a short number":  message(unix.ETHTOOL_MSG_RINGS_GET_REPLY, u8(unix.ETHTOOL_A_RINGS_RX, 1)),
	} {
		t.Run(what, func(t *testing.T) {
			c, _ := fakeKernel(t, answer)
			got, err := c.Get("eth0", Rings)
			mustSay(t, err, 0, "NIC eth0", "reading rings")
			if got != nil {
				t.Errorf("%v", got)
			}
		})
	}
	for what, set := range map[string]attribute{
		"compact": nest(unix.ETHTOOL_A_FEATURES_HW, u32(unix.ETHTOOL_A_BITSET_SIZE, 32), u32(unix.ETHTOOL_A_BITSET_VALUE, 1)),
		"no nest": u8(unix.ETHTOOL_A_FEATURES_HW, 1),
	} {
		t.Run(what, func(t *testing.T) {
			c, _ := fakeKernel(t, message(unix.ETHTOOL_MSG_FEATURES_GET_REPLY, set))
			_, err := c.Features("eth0")
			mustSay(t, err, 0, "NIC eth0", "damaged")
		})
	}
}

func TestFakeWireOldKernel(t *testing.T) {
	conn := genltest.Dial(func(genetlink.Message, netlink.Message) ([]genetlink.Message, error) {
		return nil, genltest.Error(int(unix.ENOENT))
	})
	defer func() { _ = conn.Close() }()
	_, err := New(conn)
	mustSay(t, err, unix.ENOENT, "Linux 5.6", "CONFIG_ETHTOOL_NETLINK")
}

// mustSay wants an error that holds the errno (0: any) and the words.
func mustSay(t *testing.T, err error, errno unix.Errno, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, wanted one with %q", words)
	}
	if errno != 0 && !errors.Is(err, errno) {
		t.Errorf("%v: no %v in it", err, errno)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}
