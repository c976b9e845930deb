package html_test

import "math"

// luminance is the relative luminance of a colour as WCAG 2 defines it.
func luminance(color []int) float64 {
	linear := func(channel int) float64 {
		c := float64(channel) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(color[0]) + 0.7152*linear(color[1]) + 0.0722*linear(color[2])
}

// contrast is the contrast ratio of two colours as WCAG 2 defines it: from 1 to 21, and 4.5 for text that is read.
func contrast(a, b []int) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
