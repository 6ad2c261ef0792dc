#ifndef INI_H
#define INI_H

struct ini_entry {
    char *section;
    char *key;
    char *value;
    struct ini_entry *next;
};

struct ini {
    struct ini_entry *first;
    struct ini_entry *last;
    int bad_line; /* number of the first line that could not be read, or 0 */
};

/* Read `text`; returns 0, or -1 with bad_line set. Free with ini_clear in both cases. */
int ini_parse(struct ini *ini, const char *text);
void ini_clear(struct ini *ini);

/* Value of a key, "" as section for keys before the first header; NULL when there is none. The last one wins. */
const char *ini_get(const struct ini *ini, const char *section, const char *key);

#endif
