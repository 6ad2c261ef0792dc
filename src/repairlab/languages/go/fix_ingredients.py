"""What fixes of Go programs are often made of; its facts hold it."""

from repairlab.languages.fix_ingredients import Idioms

IDIOMS = Idioms(
    stop='panic("stopped")',
    extremes=("math.MaxInt", "math.MinInt", "0", "1"),
    appliers=("len", "string", "int", "float64"),
    conversions=("strings.ToLower({0})", "len({0})", "string({0})", "int({0})"),
    families="""
        HasPrefix HasSuffix Contains; Index LastIndex; ToLower ToUpper; TrimSpace Trim TrimLeft TrimRight TrimPrefix
        TrimSuffix; Split SplitN Fields; Replace ReplaceAll; Println Printf Print; Sprintf Sprint Sprintln; Errorf
        Error; Atoi ParseInt ParseFloat; Min Max; Floor Ceil Round Trunc; Ints Strings Float64s Sort Slice
        SliceStable; Lock Unlock RLock RUnlock; Add Done Wait; Read ReadString ReadLine; IsLetter IsDigit IsSpace
        IsUpper IsLower; len cap; Fatal Fatalf; WriteString WriteByte WriteRune
    """,
    appended=(".String()", ".Error()"),
    constants=("0", "1", "nil"),
    known_names="""
        fmt strings strconv sort errors math os bufio len cap append make new copy delete panic recover string int nil
        true false error
    """,
    keywords="""
        func return if else for range var const type struct interface map chan go defer select switch case default
        break continue fallthrough package import
    """,
)
