#include "check.h"

#include "queue_@name@.h"

static void keeps_order(void)
{
    struct queue_@name@ queue;
    @type@ item = 0;
    CHECK(queue_@name@_init(&queue, 4) == 0);
    for (int lap = 0; lap < 5; lap++) {
        for (int i = 1; i <= 3; i++)
            CHECK(queue_@name@_push(&queue, (@type@)(10 * lap + i)) == 0);
        for (int i = 1; i <= 3; i++)
            CHECK(queue_@name@_pop(&queue, &item) == 0 && item == (@type@)(10 * lap + i));
    }
    CHECK(queue_@name@_pop(&queue, &item) == -1);
    queue_@name@_clear(&queue);
}

static void resizes(void)
{
    struct queue_@name@ queue;
    @type@ item = 0;
    CHECK(queue_@name@_init(&queue, 0) == -1);
    CHECK(queue_@name@_init(&queue, 3) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(queue_@name@_push(&queue, (@type@)i) == 0);
    CHECK(queue_@name@_pop(&queue, &item) == 0 && queue_@name@_push(&queue, 3) == 0);
    CHECK(queue_@name@_push(&queue, 4) == -1 && queue_@name@_resize(&queue, 2) == -1);
    CHECK(queue_@name@_resize(&queue, 5) == 0 && queue_@name@_push(&queue, 4) == 0);
    for (size_t i = 0; i < 4; i++)
        CHECK(queue_@name@_peek(&queue, i, &item) == 0 && item == (@type@)(i + 1));
    CHECK(queue_@name@_peek(&queue, 4, &item) == -1);
    queue_@name@_clear(&queue);
}

static void removes(void)
{
    struct queue_@name@ queue, other;
    @type@ items[8] = {0};
    CHECK(queue_@name@_init(&queue, 6) == 0 && queue_@name@_init(&other, 9) == 0);
    for (int i = 0; i < 6; i++)
        CHECK(queue_@name@_push(&queue, (@type@)(i % 3)) == 0);
    CHECK(queue_@name@_drain(&queue, items, 2) == 2 && items[0] == 0 && items[1] == 1);
    CHECK(queue_@name@_push(&queue, 1) == 0 && queue_@name@_push(&queue, 2) == 0);
    CHECK(queue_@name@_remove(&queue, 2) == 3 && queue.length == 3);
    CHECK(queue_@name@_push(&other, 0) == 0 && queue_@name@_push(&other, 1) == 0);
    CHECK(!queue_@name@_equal(&queue, &other));
    CHECK(queue_@name@_push(&other, 1) == 0 && queue_@name@_equal(&queue, &other));
    CHECK(queue_@name@_remove(&queue, 7) == 0 && queue_@name@_equal(&queue, &other));
    queue_@name@_clear(&queue);
    queue_@name@_clear(&other);
}

const struct test queue_@name@_tests[] = {{"queue_@name@_keeps_order", keeps_order},
                                          {"queue_@name@_resizes", resizes},
                                          {"queue_@name@_removes", removes},
                                          {0, 0}};
