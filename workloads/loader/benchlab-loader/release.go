package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// released answers once a line of in has been read: nil, or why there is none.
func released(in io.Reader) <-chan error {
	answer := make(chan error, 1)
	go func() {
		_, err := bufio.NewReader(in).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = errors.New("stdin has ended without a line")
		} else if err != nil {
			err = fmt.Errorf("stdin: %w", err)
		}
		answer <- err
	}()
	return answer
}
