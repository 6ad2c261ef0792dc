#include <stdio.h>

#define MAX_ITEMS 100

struct item {
    char name[32];
    int quantity;
};

struct box {
    char label[32];
    struct item items[MAX_ITEMS];
    int n_items;
};

static int read_box(struct box *box)
{
    if (scanf("%31s %d", box->label, &box->n_items) != 2 || box->n_items > MAX_ITEMS)
        return 0;
    for (int i = 0; i < box->n_items; i++)
        if (scanf("%d %31s", &box->items[i].quantity, box->items[i].name) != 2)
            return 0;
    return 1;
}

static void print_box(const struct box *box)
{
    printf("Box %s\n", box->label);
    if (box->n_items == 0)
        printf("  (empty)\n");
    for (int i = 0; i < box->n_items; i++)
        printf("%4d x %s\n", box->items[i].quantity, box->items[i].name);
    putchar('\n');
}

int main(void)
{
    static struct box box;
    int n_boxes;

    if (scanf("%d", &n_boxes) != 1 || n_boxes <= 0) {
        printf("Nothing to pack\n");
        return 0;
    }
    for (int i = 0; i < n_boxes && read_box(&box); i++) {
        if (i > 0)
            putchar('\n');
        print_box(&box);
    }
    return 0;
}
