package tuning

import (
	"fmt"
	"slices"
	"strings"
)

// choice is the place of a value that is one of the words that its file offers: "always
// [madvise] never", the chosen one in brackets. It is read and written as that word alone.
type choice struct{ file }

func (c choice) read() ([]byte, error) {
	text, err := c.file.read()
	if err != nil {
		return nil, err
	}
	chosen, _, ok := parseChoice(string(text))
	if !ok {
		return nil, fmt.Errorf("%s: %q has no word in brackets", c, strings.TrimSpace(string(text)))
	}
	return []byte(chosen), nil
}

// offers checks that a word is one that the knob's file offers.
func (k knob) offers(word string) func(live string) error {
	c, ok := k.place.(choice)
	if !ok {
		return nil
	}
	return func(string) error {
		text, err := c.file.read()
		if err != nil {
			return fmt.Errorf("%s: %w", k.key, err)
		}
		if _, offered, ok := parseChoice(string(text)); ok && !slices.Contains(offered, word) {
			return fmt.Errorf("%s: %s does not offer %q; choose one of %s", k.key, k, word, strings.Join(offered, ", "))
		}
		return nil
	}
}

// parseChoice splits the text of such a file; false where it is none, as exactly one word
// must be in brackets.
func parseChoice(text string) (chosen string, offered []string, ok bool) {
	for _, word := range strings.Fields(text) {
		if inner := strings.TrimSuffix(strings.TrimPrefix(word, "["), "]"); len(inner) == len(word)-2 && inner != "" {
			if chosen != "" {
				return "", nil, false
			}
			word, chosen = inner, inner
		}
		offered = append(offered, word)
	}
	return chosen, offered, chosen != ""
}
