// Foreign is a server that knows nothing of benchlab, for tests: it answers /healthz, and
// counters of any text where it is told to.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
)

func main() {
	listen := flag.String("listen", "", "`address` to listen on")
	worker := flag.Bool("worker", false, "let a child process serve")
	stats := flag.String("stats", "", "`text` that answers GET /stats on $BENCHLAB_STATS")
	flag.Parse()
	if err := run(*listen, *stats, *worker); err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(1)
	}
}

func run(listen, stats string, worker bool) error {
	if worker {
		child := exec.Command(os.Args[0], "-listen", listen)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		return child.Run()
	}
	if stats != "" {
		socket, err := net.Listen("unix", os.Getenv("BENCHLAB_STATS"))
		if err != nil {
			return err
		}
		go func() {
			_ = http.Serve(socket, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, stats) }))
		}()
	}
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "well") })
	fmt.Println("listening on", listen)
	return http.ListenAndServe(listen, nil)
}
