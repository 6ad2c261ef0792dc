#include "record.h"

#include "varint.h"

/* Numbers near zero become small whatever their sign: 0, -1, 1, -2 give 0, 1, 2, 3. */
static uint64_t fold(int64_t value)
{
    return value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1;
}

static int64_t unfold(uint64_t value)
{
    return value & 1 ? -(int64_t)(value >> 1) - 1 : (int64_t)(value >> 1);
}

int record_write(struct buffer *buffer, const struct record *record)
{
    if (varint_write(buffer, record->time_us) != 0 || varint_write(buffer, record->sensor) != 0)
        return -1;
    return varint_write(buffer, fold(record->reading));
}

int record_read(struct buffer *buffer, struct record *record)
{
    uint64_t sensor;
    uint64_t reading;

    if (varint_read(buffer, &record->time_us) != 0 || varint_read(buffer, &sensor) != 0 || sensor > UINT32_MAX)
        return -1;
    if (varint_read(buffer, &reading) != 0)
        return -1;
    record->sensor = (uint32_t)sensor;
    record->reading = unfold(reading);
    return 0;
}
