# Reads the lists of tests that CMake wrote. For each test it writes a shell command that takes the folder of the test and its words
# as arguments, or nothing when there is anything that it does not know for certain. No apostrophe may stand in this file.
function head(line,  at) {
    sub(/^[a-z_]+\(/, "", line)
    if (line ~ /^\[=\[/) {
        at = index(line, "]=] ")
        who = substr(line, 4, at - 4)
        rest = substr(line, at + 3)
        return at > 0
    }
    if (match(line, /^"[^"\\$;\047]+"/)) { # since CMake 4
        who = substr(line, 2, RLENGTH - 2)
        rest = substr(line, RLENGTH + 1)
        return 1
    }
    at = index(line, " ")
    who = substr(line, 1, at - 1)
    rest = substr(line, at)
    return at > 0 && who ~ /^[A-Za-z0-9_.+\/:-]+$/
}
function known() {
    return rest ~ /^ PROPERTIES +(WORKING_DIRECTORY "[^"\\$;\047]*" )?_BACKTRACE_TRIPLES "[^"]*"\)$/
}
BEGIN {
    folders[n = 1] = ENVIRON["FOLDER"]
    for (i = 1; i <= n; i++) {
        file = folders[i] "/CTestTestfile.cmake"
        while ((got = (getline line < file)) > 0) {
            if (line ~ /^#/ || line == "") continue
            if (line ~ /^subdirs\("[^"\\$;\047]+"\)$/) {
                split(line, words, "\"")
                folders[++n] = words[2] ~ /^\// ? words[2] : folders[i] "/" words[2]
            } else if (line ~ /^add_test\(/ && head(line)) {
                if (who in command || rest !~ /^ "\/[^"\\$;\047]*"( "[^"\\$;\047]*")*\)$/) odd[who]
                command[who] = rest
                place[who] = folders[i]
            } else if (line ~ /^set_tests_properties\(/ && head(line)) {
                if (!known()) odd[who]
                else if (split(rest, words, "\"") == 5) place[who] = words[2]
            } else exit
        }
        if (got < 0) exit
        close(file)
    }
    for (who in command) {
        if (who in odd || length(who) > 80) continue
        name = who
        gsub(/%/, "%25", name)
        gsub(/\//, "%2F", name)
        file = ENVIRON["PLANS"] "/" name ".sh"
        printf "set -- \047%s\047", place[who] > file
        n = split(command[who], words, "\"")
        for (i = 2; i < n; i += 2) printf " \047%s\047", words[i] > file
        print "" > file
        close(file)
    }
}
