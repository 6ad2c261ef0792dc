
func @said@(number string, value interface{}) bool {
	@said@write(number, @said@freeze(@reflect@.ValueOf(value), 0))
	return true
}

func @said@items(number string, value interface{}) bool {
	if @said@none(value) {
		@said@write(number, `["l",[]]`)
		return true
	}
	return @said@(number, value)
}

func @said@none(value interface{}) bool {
	it := @reflect@.ValueOf(value)
	switch it.Kind() {
	case @reflect@.Chan, @reflect@.Func, @reflect@.Interface, @reflect@.Map, @reflect@.Ptr, @reflect@.Slice, @reflect@.UnsafePointer:
		return it.IsNil()
	}
	return value == nil
}

func @said@empty(value interface{}) bool {
	it := @reflect@.ValueOf(value)
	switch it.Kind() {
	case @reflect@.Chan, @reflect@.Map, @reflect@.Slice:
		return it.Len() == 0
	case @reflect@.Ptr:
		return it.IsNil() || @said@empty(it.Elem().Interface())
	}
	return value == nil || it.IsZero()
}

func @said@size(value interface{}) int {
	return @reflect@.ValueOf(value).Len()
}

func @said@is(err, target error) bool {
	return @errors@.Is(err, target)
}

func @said@panics(run func()) (did bool) {
	defer func() { recover() }()
	did = true
	run()
	did = false
	return
}

func @said@write(number, text string) {
	line := []byte("@nonce@:" + number + ":")
	for i := 0; i < len(text); i++ {
		if c := text[i]; c > 32 && c < 127 && c != '%' && c != ';' {
			line = append(line, c)
		} else {
			line = append(line, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	line = append(line, ';')
	for len(line) > 0 {
		n, err := @syscall@.Write(2, line)
		if err == nil {
			line = line[n:]
		} else if err != @syscall@.EINTR && err != @syscall@.EAGAIN {
			return
		}
	}
}

func @said@quoted(text string) string {
	made := []byte{'"'}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '"' || c == '\\' {
			made = append(made, '\\', c)
		} else if c < 32 {
			made = append(made, "\\u00"...)
			made = append(made, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		} else {
			made = append(made, c)
		}
	}
	return string(append(made, '"'))
}

func @said@number(kind, text string) string {
	return `["` + kind + `","` + text + `"]`
}

func @said@list(kind string, parts []string) string {
	made := `["` + kind + `",[`
	for i, part := range parts {
		if i > 0 {
			made += ","
		}
		made += part
	}
	return made + "]]"
}

func @said@freeze(it @reflect@.Value, depth int) string {
	if !it.IsValid() {
		return `["n"]`
	}
	if depth > 40 {
		return `["o",` + @said@quoted(it.Type().String()) + `]`
	}
	switch it.Kind() {
	case @reflect@.Bool:
		if it.Bool() {
			return `["b",true]`
		}
		return `["b",false]`
	case @reflect@.Int, @reflect@.Int8, @reflect@.Int16, @reflect@.Int32, @reflect@.Int64:
		return @said@number("i", @strconv@.FormatInt(it.Int(), 10))
	case @reflect@.Uint, @reflect@.Uint8, @reflect@.Uint16, @reflect@.Uint32, @reflect@.Uint64, @reflect@.Uintptr:
		return @said@number("i", @strconv@.FormatUint(it.Uint(), 10))
	case @reflect@.Float32:
		return @said@number("f", @strconv@.FormatFloat(it.Float(), 'g', -1, 32))
	case @reflect@.Float64:
		return @said@number("f", @strconv@.FormatFloat(it.Float(), 'g', -1, 64))
	case @reflect@.Complex64, @reflect@.Complex128:
		parts := []string{@said@number("f", @strconv@.FormatFloat(real(it.Complex()), 'g', -1, 64))}
		return @said@list("l", append(parts, @said@number("f", @strconv@.FormatFloat(imag(it.Complex()), 'g', -1, 64))))
	case @reflect@.String:
		if !@utf8@.ValidString(it.String()) {
			hex := ""
			for _, c := range []byte(it.String()) {
				hex += string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15])
			}
			return `["y","` + hex + `"]`
		}
		return `["s",` + @said@quoted(it.String()) + `]`
	case @reflect@.Ptr, @reflect@.Interface:
		return @said@freeze(it.Elem(), depth+1)
	case @reflect@.Slice, @reflect@.Array:
		if it.Kind() == @reflect@.Slice && it.IsNil() {
			return `["n"]`
		}
		parts := []string{}
		for i := 0; i < it.Len(); i++ {
			parts = append(parts, @said@freeze(it.Index(i), depth+1))
		}
		return @said@list("l", parts)
	case @reflect@.Map:
		if it.IsNil() {
			return `["n"]`
		}
		parts := []string{}
		for _, key := range it.MapKeys() {
			parts = append(parts, "["+@said@freeze(key, depth+1)+","+@said@freeze(it.MapIndex(key), depth+1)+"]")
		}
		@sort@.Strings(parts)
		return @said@list("d", parts)
	case @reflect@.Struct:
		parts := []string{}
		for i := 0; i < it.NumField(); i++ {
			name := @said@quoted(it.Type().Field(i).Name)
			parts = append(parts, `[["s",`+name+`],`+@said@freeze(it.Field(i), depth+1)+"]")
		}
		@sort@.Strings(parts)
		return @said@list("d", parts)
	}
	if it.IsNil() {
		return `["n"]`
	}
	return `["o",` + @said@quoted(it.Type().String()) + `]`
}
