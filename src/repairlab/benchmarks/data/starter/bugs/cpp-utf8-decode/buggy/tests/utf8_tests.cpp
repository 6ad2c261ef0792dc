// Runs the test named by the only argument and reports on file descriptor 3, or on standard output when that is closed.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "sanitise.hpp"
#include "utf8.hpp"

namespace {

const char* failure = nullptr;

#define CHECK(condition)            \
    do {                            \
        if (!(condition)) {         \
            failure = #condition;   \
            return;                 \
        }                           \
    } while (false)

void ascii_is_decoded() {
    const utf8::Decoded decoded = utf8::decode("abc", 1);
    CHECK(decoded.valid);
    CHECK(decoded.point == 'b');
    CHECK(decoded.length == 1);
    CHECK(utf8::count("abc") == 3);
}

void longer_sequences_are_decoded() {
    CHECK(utf8::decode("\xC3\xA9", 0).point == 0xE9);
    CHECK(utf8::decode("\xE2\x82\xAC", 0).point == 0x20AC);
    CHECK(utf8::decode("\xF0\x9F\x98\x80", 0).point == 0x1F600);
    CHECK(utf8::count("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == 4);
}

void truncated_sequence_is_invalid() {
    CHECK(!utf8::valid("\xC3"));
    CHECK(!utf8::valid("ok \xE2\x82"));
    CHECK(!utf8::valid("\xF0\x9F\x98"));
}

void encode_and_decode_agree() {
    const char32_t points[] = {0, 'A', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF};
    for (const char32_t point : points) {
        std::string text;
        utf8::encode(point, text);
        const utf8::Decoded decoded = utf8::decode(text, 0);
        CHECK(decoded.valid);
        CHECK(decoded.point == point);
        CHECK(decoded.length == text.size());
    }
}

void sanitised_text_keeps_what_is_valid() {
    const std::string text = "na\xC3\xAFve \xE2\x82\xAC 5 \xF0\x9F\x98\x80";
    CHECK(utf8::valid(text));
    CHECK(utf8::sanitise(text) == text);
    CHECK(utf8::sanitise("").empty());
}

void stray_continuation_is_replaced() {
    CHECK(!utf8::valid("a\x80z"));
    CHECK(utf8::sanitise("a\x80z") == "a\xEF\xBF\xBDz");
    CHECK(utf8::sanitise("\xFF") == "\xEF\xBF\xBD");
}

void broken_sequence_keeps_the_next_character() {
    CHECK(!utf8::valid("\xC3("));
    CHECK(utf8::sanitise("\xC3(") == "\xEF\xBF\xBD(");
    CHECK(!utf8::valid("\xE2\x82z"));
    CHECK(!utf8::valid("\xE2(\xAC"));
    CHECK(utf8::count("\xC3\xC3\xA9") == 2);
}

void overlong_forms_are_invalid() {
    CHECK(!utf8::valid("\xC0\xAF"));
    CHECK(!utf8::valid("\xC1\xBF"));
    CHECK(!utf8::valid("\xE0\x80\xAF"));
    CHECK(!utf8::valid("\xE0\x9F\xBF"));
    CHECK(!utf8::valid("\xF0\x8F\xBF\xBF"));
    CHECK(utf8::valid("\xE0\xA0\x80"));
}

void surrogates_and_huge_values_are_invalid() {
    CHECK(!utf8::valid("\xED\xA0\x80"));
    CHECK(!utf8::valid("\xED\xBF\xBF"));
    CHECK(!utf8::valid("\xF4\x90\x80\x80"));
    CHECK(!utf8::valid("\xF5\x80\x80\x80"));
    CHECK(utf8::valid("\xED\x9F\xBF\xEE\x80\x80"));
}

struct Test {
    const char* name;
    void (*run)();
};

const Test tests[] = {
    {"ascii_is_decoded", ascii_is_decoded},
    {"longer_sequences_are_decoded", longer_sequences_are_decoded},
    {"truncated_sequence_is_invalid", truncated_sequence_is_invalid},
    {"encode_and_decode_agree", encode_and_decode_agree},
    {"sanitised_text_keeps_what_is_valid", sanitised_text_keeps_what_is_valid},
    {"stray_continuation_is_replaced", stray_continuation_is_replaced},
    {"broken_sequence_keeps_the_next_character", broken_sequence_keeps_the_next_character},
    {"overlong_forms_are_invalid", overlong_forms_are_invalid},
    {"surrogates_and_huge_values_are_invalid", surrogates_and_huge_values_are_invalid},
};

}  // namespace

int main(int argc, char** argv) {
    for (const Test& test : tests) {
        if (argc == 2 && std::strcmp(argv[1], test.name) == 0) {
            test.run();
            const int report = fcntl(3, F_GETFD) == -1 ? 1 : 3;
            if (failure == nullptr) {
                dprintf(report, "ok %s\n", test.name);
                return 0;
            }
            dprintf(report, "not ok %s %s\n", test.name, failure);
            return 1;
        }
    }
    std::fprintf(stderr, "usage: utf8_tests NAME\n");
    return 2;
}
