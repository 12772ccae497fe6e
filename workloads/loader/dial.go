//go:build linux

package loader

// await puts a connection on the list of those to be dialled, after a pause where it fails
// again and again.
func (w *worker) await(index int32, c *connection) {
	if w.phase == drain {
		return
	}
	c.began = w.run.now() + c.pause()
	w.waiting = append(w.waiting, index)
	w.nextDial = min(w.nextDial, c.began)
}

// dial dials the connections whose time has come, not too many at once.
func (w *worker) dial(now int64) {
	list := w.waiting
	w.waiting = w.waiting[:0]
	const never = 1 << 62
	w.nextDial = never
	for i, index := range list {
		c := &w.connections[index]
		if w.dialing >= w.run.dialsAtOnce {
			w.waiting = append(w.waiting, list[i:]...)
			w.nextDial = 0
			return
		}
		if c.began > now {
			w.waiting = append(w.waiting, index)
			w.nextDial = min(w.nextDial, c.began)
			continue
		}
		c.began = now
		if err := w.driver.dial(index, c); err != nil {
			w.refused(index, c, err)
			continue
		}
		c.state = dialing
		w.dialing++
	}
}

// dialed is a dial that came to its good end.
func (w *worker) dialed(index int32, c *connection) {
	w.dialing--
	w.standing++
	c.state = standing
	w.setDown(c, false)
	if c.had {
		w.tally.counts[w.phase].reopened++
	}
	c.had = true
	if w.run.live.Add(1) == int64(w.run.config.Connections) {
		w.run.complete()
	}
	w.next(index, c, w.run.now())
}

// undialed is a dial that failed after its begin.
func (w *worker) undialed(index int32, c *connection, err error) {
	w.dialing--
	w.shut(c)
	w.refused(index, c, err)
}

// refused counts a dial that failed.
func (w *worker) refused(index int32, c *connection, err error) {
	if w.phase == connect {
		w.run.failToConnect(c.path, dialKind(err), err)
		return
	}
	w.fail(c, 1, dialKind(err), err)
	w.setDown(c, true)
	w.await(index, c)
}
