// Package choose lists selections.
package choose

// Of returns all selections of size members, each in the order of the members.
func Of(members []string, size int) [][]string {
	if size < 0 || size > len(members) {
		return nil
	}
	var found [][]string
	collect(members, size, nil, &found)
	return found
}

func collect(rest []string, missing int, chosen []string, found *[][]string) {
	if missing == 0 {
		*found = append(*found, chosen)
		return
	}
	for i := 0; i+missing <= len(rest); i++ {
		collect(rest[i+1:], missing-1, append(chosen, rest[i]), found)
	}
}

// With returns the selections of size members that one of them takes part in.
func With(member string, members []string, size int) [][]string {
	var found [][]string
	for _, team := range Of(members, size) {
		for _, one := range team {
			if one == member {
				found = append(found, team)
				break
			}
		}
	}
	return found
}
