package calc

import "testing"

func TestSum(t *testing.T) {}

func TestNegative(t *testing.T) {}

func TestName(t *testing.T) {}
