#include "check.h"

#include "record.h"
#include "varint.h"

static struct buffer buffer;

static int survives(uint64_t value)
{
    uint64_t read = 0;
    return varint_write(&buffer, value) == 0 && varint_read(&buffer, &read) == 0 && read == value;
}

static int record_survives(uint64_t time_us, uint32_t sensor, int64_t reading)
{
    struct record in = {time_us, sensor, reading};
    struct record out = {0, 0, 0};
    return record_write(&buffer, &in) == 0 && record_read(&buffer, &out) == 0 && out.time_us == time_us &&
           out.sensor == sensor && out.reading == reading;
}

static void buffer_grows(void)
{
    buffer_init(&buffer);
    for (int i = 0; i < 1000; i++)
        CHECK(buffer_put(&buffer, (uint8_t)i) == 0);
    for (int i = 0; i < 1000; i++)
        CHECK(buffer_get(&buffer) == (uint8_t)i);
    CHECK(buffer_get(&buffer) == -1);
    buffer_clear(&buffer);
}

static void small_values_take_one_byte(void)
{
    buffer_init(&buffer);
    CHECK(survives(0) && survives(1) && survives(127));
    CHECK(buffer.length == 3);
    buffer_clear(&buffer);
}

static void groups_of_seven_bits(void)
{
    buffer_init(&buffer);
    CHECK(survives(300));
    CHECK(buffer.length == 2 && buffer.data[0] == 0xac && buffer.data[1] == 0x02);
    CHECK(survives(128) && survives(16384) && survives(UINT32_MAX));
    buffer_clear(&buffer);
}

static void truncated_values_are_refused(void)
{
    uint64_t value;
    buffer_init(&buffer);
    CHECK(varint_read(&buffer, &value) == -1);
    buffer_put(&buffer, 0x80);
    CHECK(varint_read(&buffer, &value) == -1);
    buffer_clear(&buffer);
}

static void overlong_values_are_refused(void)
{
    uint64_t value;
    buffer_init(&buffer);
    for (int i = 0; i < 11; i++)
        buffer_put(&buffer, 0xff);
    CHECK(varint_read(&buffer, &value) == -1);
    buffer_clear(&buffer);
}

static void small_records_round_trip(void)
{
    buffer_init(&buffer);
    CHECK(record_survives(0, 0, 0));
    CHECK(record_survives(1000000, 7, -1));
    CHECK(record_survives(86400000, UINT32_MAX, 123456));
    CHECK(record_survives(5, 1, -40000));
    buffer_clear(&buffer);
}

static void wide_values_round_trip(void)
{
    buffer_init(&buffer);
    CHECK(survives(UINT64_C(1) << 32));
    CHECK(survives(UINT64_C(1700000000000000)));
    CHECK(survives(UINT64_MAX));
    buffer_clear(&buffer);
}

static void far_negative_records_round_trip(void)
{
    buffer_init(&buffer);
    CHECK(record_survives(1, 2, INT64_C(-5000000000)));
    CHECK(record_survives(1, 2, INT32_MIN - INT64_C(1)));
    CHECK(record_survives(1, 2, INT64_MAX));
    buffer_clear(&buffer);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"buffer_grows", buffer_grows},
        {"small_values_take_one_byte", small_values_take_one_byte},
        {"groups_of_seven_bits", groups_of_seven_bits},
        {"truncated_values_are_refused", truncated_values_are_refused},
        {"overlong_values_are_refused", overlong_values_are_refused},
        {"small_records_round_trip", small_records_round_trip},
        {"wide_values_round_trip", wide_values_round_trip},
        {"far_negative_records_round_trip", far_negative_records_round_trip},
    };
    return check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
