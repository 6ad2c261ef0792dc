/* The orders of the host: NUL-terminated "name=value" strings in a file; run.c reads `order`. */
#include "launcher.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct order order;

static int set_number(const char *name, size_t length, const char *value)
{
    static const struct { const char *name; long *value; } numbers[] = {
        {"cpu_ms", &order.cpu_ms}, {"wall_ms", &order.wall_ms}, {"most_ms", &order.most_ms}, {"memory_kb", &order.memory_kb},
        {"address_kb", &order.address_kb}, {"processes", &order.processes}, {"nproc", &order.nproc},
        {"disk_kb", &order.disk_kb}, {"output", &order.output}, {"uid", &order.uid}, {"gid", &order.gid}, {"owner_uid", &order.owner_uid},
        {"owner_gid", &order.owner_gid}, {"namespace", &order.namespace}, {"writable", &order.writable},
        {"cpus", &order.cpus}, {"random_addresses", &order.random_addresses}, {"forks", &order.forks}, {"keep", &order.keep}, {"layers", &order.layers}, {"private", &order.private},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].name) == length && !strncmp(numbers[i].name, name, length)) {
            *numbers[i].value = strtol(value, NULL, 10);
            return 1;
        }
    return 0;
}

void read_orders(int fd)
{
    struct stat st;
    if (fstat(fd, &st))
        die("orders");
    free(order.argv);
    free(order.env);
    free(order.sealed);
    free(order.fixtures);
    free(order.allow);
    free(order.text);
    memset(&order, 0, sizeof order);
    order.size = (size_t)st.st_size;
    char *text = order.text = malloc(order.size + 1);
    order.common = order.size;
    size_t strings = 0, arguments = 0, variables = 0, allowed = 0, fixed = 0, sealed = 0;
    if (!text || pread(fd, text, order.size, 0) != st.st_size)
        die("orders");
    text[order.size] = 0;
    for (char *s = text; s < text + order.size; s += strlen(s) + 1)
        strings++;
    order.argv = calloc(strings + 1, sizeof(char *));
    order.env = calloc(strings + 1, sizeof(char *));
    order.sealed = calloc(strings + 1, sizeof(char *));
    order.fixtures = calloc(strings + 1, sizeof(char *));
    order.allow = calloc(strings + 1, sizeof(char *));
    if (!order.argv || !order.env || !order.sealed || !order.fixtures || !order.allow)
        die("orders");
    for (char *s = text; s < text + order.size; s += strlen(s) + 1) {
        size_t length = strcspn(s, "=");
        char *value = s + length + (s[length] == '=');
        if (!strncmp(s, "arg=", 4))
            order.argv[arguments++] = value;
        else if (!strncmp(s, "env=", 4))
            order.env[variables++] = value;
        else if (!strncmp(s, "turn=", 5)) { /* these and the source come last */
            order.turns = order.turns ? order.turns : order.env + variables;
            order.env[variables++] = value;
            order.common = order.common < order.size ? order.common : (size_t)(s - text);
        } else if (!strncmp(s, "source=", 7)) {
            order.source = value;
            order.common = order.common < order.size ? order.common : (size_t)(s - text);
        } else if (!strncmp(s, "base=", 5))
            order.base = value;
        else if (!strncmp(s, "allow=", 6))
            order.allow[allowed++] = value;
        else if (!strncmp(s, "sealed=", 7))
            order.sealed[sealed++] = value;
        else if (!strncmp(s, "fixture=", 8))
            order.fixtures[fixed++] = value;
        else if (!strncmp(s, "cwd=", 4))
            order.cwd = value;
        else if (!strncmp(s, "tree=", 5))
            order.tree = value;
        else if (!strncmp(s, "scratch=", 8) && order.scratches < MAX_SCRATCH)
            order.scratch[order.scratches++] = value;
        else if (!set_number(s, length, value))
            die("unknown order '%s'", s);
    }
    if (!arguments || !order.cwd || !order.tree)
        die("incomplete orders");
    if (!order.base != !order.source || (order.source && !order.layers))
        die("no trees to choose from");
    if (order.private && (!order.layers || order.writable))
        die("no layer for a private command");
    if (order.namespace && self != 1)
        die("not the first process of a namespace"); /* where killing all processes would mean those of the host */
}

