package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// queues are the numbers of a NIC's active queues, ascending, as they will be once its
// channels are the wanted ones.
type queues struct {
	rx, tx []int
	// rxNow and txNow count those that are there already.
	rxNow, txNow int
	// channels are what the driver says of them; nil where it says nothing.
	channels map[string]ethtool.Parameter
}

// most is the number of queues that an interrupt each would serve.
func (q queues) most() int { return max(len(q.rx), len(q.tx)) }

// coming says whether the channels are still to be changed.
func (q queues) coming() bool { return len(q.rx) != q.rxNow || len(q.tx) != q.txNow }

// queuesOf are those of a NIC that has its own.
func (h *Host) queuesOf(n spec.NIC) (queues, error) {
	rx, tx, err := h.queues(n.Name)
	if err != nil {
		return queues{}, err
	}
	if err := h.checkQueues(n.Name); err != nil {
		return queues{}, err
	}
	// A driver that can't say has no channels to count with.
	have, _, _ := h.parameters(n.Name, ethtool.Channels)
	q := queues{channels: have}
	rxHas, txHas := channelCount(have, "rx", nil), channelCount(have, "tx", nil)
	// mlx5 had each rx queue twice from Linux 5.3 to 6.0; the second half is not used.
	if rxHas > 0 && len(rx) == 2*rxHas {
		rx = rx[:rxHas]
	}
	q.rx, q.tx, q.rxNow, q.txNow = rx, tx, len(rx), len(tx)
	settings, err := h.channels(n)
	if err != nil || rxHas == 0 || txHas == 0 {
		return q, nil //nolint:nilerr // it is an error of the channels, which report it
	}
	wanted := map[string]int{}
	for _, s := range settings {
		p, ok := s.place.(parameter)
		if count, err := strconv.Atoi(s.desired); ok && err == nil && s.unsupported == "" {
			wanted[p.name] = count
		}
	}
	// A driver may have several queues in a channel, as for traffic classes.
	q.rx = upTo(max(channelCount(have, "rx", wanted)*len(rx)/rxHas, 1))
	q.tx = upTo(max(channelCount(have, "tx", wanted)*len(tx)/txHas, 1))
	return q, nil
}

// channelCount is how many channels serve a direction, "rx" or "tx", once the wanted
// ones are there.
func channelCount(have map[string]ethtool.Parameter, direction string, wanted map[string]int) int {
	count := 0
	for _, name := range []string{direction, "combined"} {
		if n, ok := wanted[name]; ok {
			count += n
		} else {
			count += int(have[name].Value)
		}
	}
	return count
}

func upTo(count int) []int {
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// queues lists the active rx and tx queues of a NIC, in numeric order.
func (h *Host) queues(nic string) (rx, tx []int, err error) {
	dir := h.path("sys/class/net", nic, "queues")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, h.unknownNIC(nic)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("NIC %s: %w", nic, err)
	}
	for _, e := range entries {
		if n, ok := numberAfter("rx-", e.Name()); ok {
			rx = append(rx, n)
		}
		if n, ok := numberAfter("tx-", e.Name()); ok {
			tx = append(tx, n)
		}
	}
	if len(rx) == 0 {
		return nil, nil, fmt.Errorf("NIC %s: %s has no rx queue, so there is nothing to steer; name the NIC that receives", nic, dir)
	}
	slices.Sort(rx)
	slices.Sort(tx)
	return rx, tx, nil
}

// isGoneQueue says whether a key that is missing is one of a queue whose NIC is there.
func (h *Host) isGoneQueue(key string) bool {
	nic, _, _ := nicKey(key)
	_, ok := h.findQueueFile(key)
	return ok && exists(h.path("sys/class/net", nic))
}

// numberAfter is the number behind a prefix, as the kernel writes it.
func numberAfter(prefix, name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), ok && err == nil && strconv.FormatUint(n, 10) == digits
}
