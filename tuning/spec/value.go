package spec

import (
	"errors"
	"fmt"
	"strings"
)

// SysctlValue brings a wanted value into canonical form: its fields joined by one
// blank. It refuses what the kernel would take for something else: a newline (the
// kernel stops reading there), an empty value (the write succeeds and changes
// nothing), and numbers with a leading zero, a plus or 0x (the kernel reads 015 as 13).
func SysctlValue(text string) (string, error) {
	for _, r := range text {
		if (r < ' ' && r != '\t') || r == 0x7f {
			return "", fmt.Errorf("value %q holds %q: a value is one line of fields split by blanks", text, r)
		}
	}
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return "", errors.New("the value is empty: the kernel would take it and change nothing")
	}
	for _, f := range fields {
		if err := checkNumber(f); err != nil {
			return "", fmt.Errorf("value %q: %w", text, err)
		}
	}
	return strings.Join(fields, " "), nil
}

// checkNumber refuses spellings of numbers other than plain base 10. Words pass.
func checkNumber(field string) error {
	digits := strings.TrimLeft(field, "+-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return nil
	}
	if len(digits) > 1 && (digits[1] == 'x' || digits[1] == 'X') {
		return fmt.Errorf("%q is not base 10; write the number in base 10", field)
	}
	if !isDigits(digits) {
		return nil // "8080,9000-9100", "1d": a word that starts with a digit
	}
	if digits[0] == '0' && len(field) > 1 {
		return fmt.Errorf("%q has a leading zero, which the kernel takes for octal; write it without", field)
	}
	if field[0] == '+' {
		return fmt.Errorf("%q: write the number without the plus", field)
	}
	return nil
}

// isInteger says whether a field is a base-10 integer as the kernel prints it.
func isInteger(field string) bool {
	return isDigits(strings.TrimPrefix(field, "-"))
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// CheckArity compares the number of fields of a wanted value with what the host has.
// The kernel accepts a vector of numbers that is too short (the rest keeps its value)
// or too long (the rest is ignored), so only the live value tells. Lists of words
// have no fixed number of fields and pass.
func CheckArity(wanted, live string) error {
	have := strings.Fields(live)
	if len(have) == 0 {
		return nil
	}
	for _, f := range have {
		if !isInteger(f) {
			return nil
		}
	}
	if want := strings.Fields(wanted); len(want) != len(have) {
		return fmt.Errorf("wanted %q has %s, the host has %d (%q); give all of them",
			wanted, plural(len(want), "field"), len(have), strings.Join(have, " "))
	}
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
