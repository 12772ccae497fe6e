package agent

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/unit"
)

// healthTimeout bounds the time from the start of a server to its first good answer.
const healthTimeout = 10 * time.Second

// waitHealthy returns when the server answers, or says why it does not, with its log.
func (s *Service) waitHealthy(ctx context.Context, name string, urls []string) error {
	for end := time.Now().Add(healthTimeout); ; {
		status, err := s.units.Inspect(name)
		if err != nil {
			return err
		}
		if !status.Running {
			return fmt.Errorf("server %s ended at once; its log:\n%s%s", name, status.Log, inTheWay(urls))
		}
		checked := well(ctx, status.PID, urls)
		if checked == nil {
			return nil
		}
		if time.Now().After(end) {
			// Not wrapped: a check that ran into its own deadline is not the caller's.
			return fmt.Errorf("server %s does not answer at %s within %s: %s; its log:\n%s", name, strings.Join(urls, " and "), healthTimeout, checked.Error(), status.Log)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("server %s, waiting for an answer at %s: %w", name, strings.Join(urls, " and "), ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// well says whether all URLs are answered, and by processes of the session: whoever else
// holds a port may answer as well.
func well(ctx context.Context, session int, urls []string) error {
	for _, url := range urls {
		if err := answers(ctx, url); err != nil {
			return err
		}
		at, holders, err := listeners(url)
		if err != nil {
			return err
		}
		if len(holders) == 0 {
			return fmt.Errorf("%s is answered, but nothing on this host listens at %s: is it an address of this host?", url, at)
		}
		for _, holder := range holders {
			if holder.Session != session {
				return fmt.Errorf("%s answers at %s, not the server: stop it, or choose another port. A server must not go into the background", holder, at)
			}
		}
	}
	return nil
}

// inTheWay says who holds the ports of a server that has ended.
func inTheWay(urls []string) string {
	var text strings.Builder
	for _, url := range urls {
		// What can't be told is no more than a hint that is missing.
		at, holders, _ := listeners(url)
		for _, holder := range holders {
			fmt.Fprintf(&text, "\n%s listens at %s: stop it, or choose another port", holder, at)
		}
	}
	return text.String()
}

// listeners are who would take the connections to a URL.
func listeners(raw string) (at netip.AddrPort, holders []unit.Listener, err error) {
	u, err := url.Parse(raw)
	if err != nil {
		return at, nil, err
	}
	if at, err = netip.ParseAddrPort(u.Host); err != nil {
		return at, nil, fmt.Errorf("%s: want an IP address and a port: %w", raw, err)
	}
	holders, err = unit.Listeners(at)
	return at, holders, err
}

// answers says whether a URL is answered with success.
func answers(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{
		Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true},
		// The loader takes a redirect for an error, too.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("%s answers with status %s, want 2xx", url, response.Status)
	}
	return nil
}
