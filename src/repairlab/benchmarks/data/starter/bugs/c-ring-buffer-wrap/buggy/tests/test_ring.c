#include "tap.h"

#include "lines.h"
#include "ring.h"

static struct ring ring;
static char bytes[64];

static void starts_empty(void)
{
    CHECK(ring_open(&ring, 8) == 0);
    CHECK(ring_used(&ring) == 0);
    CHECK(ring_free_space(&ring) == 8);
    CHECK(ring_read(&ring, bytes, 4) == 0);
    ring_close(&ring);
}

static void keeps_order(void)
{
    CHECK(ring_open(&ring, 8) == 0);
    CHECK(ring_write(&ring, "abc", 3) == 3);
    CHECK(ring_write(&ring, "de", 2) == 2);
    CHECK(ring_read(&ring, bytes, 64) == 5);
    CHECK(memcmp(bytes, "abcde", 5) == 0);
    ring_close(&ring);
}

static void holds_its_whole_capacity(void)
{
    CHECK(ring_open(&ring, 8) == 0);
    CHECK(ring_write(&ring, "12345678", 8) == 8);
    CHECK(ring_free_space(&ring) == 0);
    CHECK(ring_read(&ring, bytes, 8) == 8);
    CHECK(memcmp(bytes, "12345678", 8) == 0);
    ring_close(&ring);
}

static void refuses_more_than_capacity(void)
{
    CHECK(ring_open(&ring, 4) == 0);
    CHECK(ring_write(&ring, "123456", 6) == 4);
    CHECK(ring_write(&ring, "7", 1) == 0);
    CHECK(ring_peek(&ring, 0) == '1');
    CHECK(ring_peek(&ring, 4) == -1);
    ring_close(&ring);
}

static void wraps_around(void)
{
    CHECK(ring_open(&ring, 8) == 0);
    CHECK(ring_write(&ring, "abcdef", 6) == 6);
    CHECK(ring_read(&ring, bytes, 4) == 4);
    CHECK(ring_write(&ring, "ghijkl", 6) == 6);
    CHECK(ring_read(&ring, bytes, 8) == 8);
    CHECK(memcmp(bytes, "efghijkl", 8) == 0);
    ring_close(&ring);
}

static void survives_many_laps(void)
{
    CHECK(ring_open(&ring, 7) == 0);
    for (int i = 0; i < 1000; i++) {
        unsigned char in = (unsigned char)i;
        unsigned char out = 0;
        CHECK(ring_write(&ring, &in, 1) == 1);
        CHECK(ring_read(&ring, &out, 1) == 1);
        CHECK(in == out);
    }
    ring_close(&ring);
}

static void splits_lines(void)
{
    CHECK(ring_open(&ring, 32) == 0);
    ring_write(&ring, "one\n\ntw", 7);
    CHECK(lines_next(&ring, bytes, sizeof bytes) == 1 && strcmp(bytes, "one") == 0);
    CHECK(lines_next(&ring, bytes, sizeof bytes) == 1 && strcmp(bytes, "") == 0);
    CHECK(lines_next(&ring, bytes, sizeof bytes) == 0);
    ring_write(&ring, "o\n", 2);
    CHECK(lines_next(&ring, bytes, 3) == 1 && strcmp(bytes, "tw") == 0);
    ring_close(&ring);
}

int main(int argc, char **argv)
{
    static const struct tap_test tests[] = {
        {"starts_empty", starts_empty},
        {"keeps_order", keeps_order},
        {"holds_its_whole_capacity", holds_its_whole_capacity},
        {"refuses_more_than_capacity", refuses_more_than_capacity},
        {"wraps_around", wraps_around},
        {"survives_many_laps", survives_many_laps},
        {"splits_lines", splits_lines},
    };
    return tap_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
