package roman

import "testing"

func TestFormat(t *testing.T) {
	tests := []struct {
		name   string
		number int
		want   string
	}{
		{"one", 1, "I"},
		{"five", 5, "V"},
		{"eight", 8, "VIII"},
		{"ten", 10, "X"},
		{"year", 1987, "MCMLXXXVII"},
		{"largest", 3999, "MMMCMXCIX"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Format(test.number)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("Format(%d) = %q, want %q", test.number, got, test.want)
			}
		})
	}
}

func TestOutOfRange(t *testing.T) {
	for _, number := range []int{0, -3, 4000} {
		if _, err := Format(number); err == nil {
			t.Errorf("%d has a numeral", number)
		}
	}
}

func TestParse(t *testing.T) {
	if got, err := Parse("XIV"); err != nil || got != 14 {
		t.Errorf("got %d, %v", got, err)
	}
	if _, err := Parse("ABC"); err == nil {
		t.Error("ABC is a numeral")
	}
}

func TestRoundTrip(t *testing.T) {
	for number := 1; number < 4000; number += 7 {
		text, err := Format(number)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(text); err != nil || got != number {
			t.Fatalf("%d became %q and then %d (%v)", number, text, got, err)
		}
	}
}
