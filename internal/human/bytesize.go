package human

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const sizeUnits = "KMGTPE" // each is 1024 or 1000 times the previous one

// FormatSize writes a size in binary units, with a decimal place below 10: 9 B, 1.5 MiB, 12 GiB. A
// negative size is written as 0 B.
func FormatSize(size int64) string {
	size = max(0, size)
	if size < 1024 {
		return fmt.Sprintf("%d B", size)
	}
	unit := 0
	value := float64(size) / 1024
	for ; value >= 1024; value /= 1024 {
		unit++
	}
	if value = math.Floor(value*10+0.5) / 10; value < 10 {
		return fmt.Sprintf("%.1f %ciB", value, sizeUnits[unit])
	}
	return fmt.Sprintf("%.0f %ciB", value, sizeUnits[unit])
}

// ParseSize reads a size: a number, which may have a fraction, and a unit. KiB, MiB and so on are
// powers of 1024, KB, K, MB, M and so on powers of 1000. Without a unit, or with B, the number is
// bytes. Case does not matter, and commas in the number are ignored.
func ParseSize(text string) (int64, error) {
	bad := fmt.Errorf("unknown size %q", text)
	end := len(text) - len(strings.TrimLeft(text, "0123456789.,"))
	number, err := strconv.ParseFloat(strings.ReplaceAll(text[:end], ",", ""), 64)
	if err != nil {
		return 0, bad
	}
	unit, base := strings.ToUpper(strings.TrimSpace(text[end:])), 1000.0
	unit = strings.TrimSuffix(unit, "B")
	if rest, ok := strings.CutSuffix(unit, "I"); ok && rest != "" {
		unit, base = rest, 1024
	}
	power := 0
	if unit != "" {
		if power = strings.Index(sizeUnits, unit) + 1; power == 0 || len(unit) > 1 {
			return 0, bad
		}
	}
	size := number * math.Pow(base, float64(power))
	if size < 0 || size >= math.MaxInt64 {
		return 0, bad
	}
	return int64(size), nil
}
