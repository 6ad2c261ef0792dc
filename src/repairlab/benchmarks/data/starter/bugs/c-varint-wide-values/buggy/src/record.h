#ifndef RECORD_H
#define RECORD_H

#include "buffer.h"

/* One measurement: microseconds since the epoch, a sensor, and a reading that may be negative. */
struct record {
    uint64_t time_us;
    uint32_t sensor;
    int64_t reading;
};

int record_write(struct buffer *buffer, const struct record *record);
int record_read(struct buffer *buffer, struct record *record);

#endif
