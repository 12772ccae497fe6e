package lab

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

var (
	// rateForm keeps numbers short enough that no power of ten can overflow an int64.
	rateForm  = regexp.MustCompile(`^([0-9]{1,6}(?:\.[0-9]{1,9})?) ?([A-Za-z/]*)$`)
	rateUnits = map[string]int64{"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
	// byteRate tells units that count bytes, or that tc reads as bytes ("gbps"), by
	// their first letter.
	byteRate = regexp.MustCompile(`^(?i:([kmg])i?)(?:B|(?i:Bps|B/s|bytes?))$`)
)

// parseRate reads a rate as tc spells it, decimal and in any case: "2.5Gbit". It
// returns bit/s.
func parseRate(s string) (int64, error) {
	const units = "Units are kbit, mbit and gbit (powers of 1000, bits a second)"
	m := rateForm.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q is no rate. Write one such as \"2.5Gbit\". %s", s, units)
	}
	number, unit := m[1], m[2]
	if b := byteRate.FindStringSubmatch(unit); b != nil {
		bits := strings.ToUpper(b[1]) + "bit"
		n, _ := new(big.Rat).SetString(number)
		eight := strings.TrimSuffix(strings.TrimRight(n.Mul(n, big.NewRat(8, 1)).FloatString(9), "0"), ".")
		return 0, fmt.Errorf("%q counts bytes, and a link's rate counts bits (tc takes even \"gbps\" for bytes). Write \"%s%s\", or \"%s%s\" if bytes are meant",
			s, number, bits, eight, bits)
	}
	factor, known := rateUnits[strings.ToLower(unit)]
	if !known {
		if unit == "" {
			return 0, fmt.Errorf("%q has no unit. Write one such as \"%sGbit\". %s", s, number, units)
		}
		return 0, fmt.Errorf("%q has the unknown unit %q. %s", s, unit, units)
	}
	n, _ := new(big.Rat).SetString(number)
	n.Mul(n, new(big.Rat).SetInt64(factor))
	switch {
	case n.Cmp(new(big.Rat).SetInt64(1e3)) < 0:
		return 0, errors.New("a link needs 1kbit at least. Leave rate out for a link without a limit")
	case !n.IsInt():
		return 0, fmt.Errorf("%q is not a whole number of bits a second. Use fewer decimals", s)
	}
	return n.Num().Int64(), nil
}
