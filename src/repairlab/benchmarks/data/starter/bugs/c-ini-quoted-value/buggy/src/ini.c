#include "ini.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static int is_quoted(struct slice slice)
{
    return slice.length >= 2 && slice.start[0] == '"' && slice.start[slice.length - 1] == '"';
}

static int add_entry(struct ini *ini, struct slice section, struct slice key, struct slice value)
{
    struct ini_entry *entry = malloc(sizeof *entry);

    if (entry == NULL)
        return -1;
    entry->section = slice_copy(section);
    entry->key = slice_copy(key);
    entry->value = is_quoted(value) ? slice_unquote(value) : slice_copy(value);
    entry->next = NULL;
    if (ini->last == NULL)
        ini->first = entry;
    else
        ini->last->next = entry;
    ini->last = entry;
    return entry->section != NULL && entry->key != NULL && entry->value != NULL ? 0 : -1;
}

static int parse_line(struct ini *ini, struct slice *section, struct slice line)
{
    line = slice_trim(line);
    if (line.length == 0 || line.start[0] == ';' || line.start[0] == '#')
        return 0;
    if (line.start[0] == '[') {
        if (line.start[line.length - 1] != ']')
            return -1;
        *section = slice_trim((struct slice){line.start + 1, line.length - 2});
        return 0;
    }
    const char *equals = memchr(line.start, '=', line.length);
    if (equals == NULL || equals == line.start)
        return -1;
    size_t before = (size_t)(equals - line.start);
    struct slice key = {line.start, before};
    struct slice value = {equals + 1, line.length - before - 1};
    return add_entry(ini, *section, slice_trim(key), slice_trim(value));
}

int ini_parse(struct ini *ini, const char *text)
{
    struct slice section = {"", 0};
    int number = 0;

    ini->first = ini->last = NULL;
    ini->bad_line = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        number++;
        if (parse_line(ini, &section, (struct slice){text, length}) != 0) {
            ini->bad_line = number;
            return -1;
        }
        text += length;
        if (*text == '\n')
            text++;
    }
    return 0;
}

void ini_clear(struct ini *ini)
{
    struct ini_entry *entry = ini->first;

    while (entry != NULL) {
        struct ini_entry *next = entry->next;
        free(entry->section);
        free(entry->key);
        free(entry->value);
        free(entry);
        entry = next;
    }
    ini->first = ini->last = NULL;
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
    const char *value = NULL;

    for (const struct ini_entry *entry = ini->first; entry != NULL; entry = entry->next)
        if (strcmp(entry->section, section) == 0 && strcmp(entry->key, key) == 0)
            value = entry->value;
    return value;
}
