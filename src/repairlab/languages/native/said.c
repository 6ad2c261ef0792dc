#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wpedantic"
#ifdef __cplusplus
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>
#else
extern double strtod(const char *, char **);
extern char *program_invocation_short_name;
#endif
static char @said@_buffer[4096];
static unsigned @said@_length;
static void @said@_flush(void)
{
    const char *from = @said@_buffer;
    long left = (long)@said@_length;
    while (left > 0) {
        long written;
#if defined(__x86_64__)
        __asm__ volatile("syscall" : "=a"(written) : "0"(1L), "D"(2L), "S"(from), "d"(left) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
        register long call __asm__("x8") = 64, first __asm__("x0") = 2, second __asm__("x1") = (long)from, third __asm__("x2") = left;
        __asm__ volatile("svc 0" : "+r"(first) : "r"(call), "r"(second), "r"(third) : "memory");
        written = first;
#else
        extern long write(int, const void *, __SIZE_TYPE__);
        written = write(2, from, (__SIZE_TYPE__)left);
#endif
        if (written == -4 || written == -11)
            continue;
        if (written <= 0)
            break;
        from += written;
        left -= written;
    }
    @said@_length = 0;
}
static void @said@_raw(char c)
{
    @said@_buffer[@said@_length++] = c;
    if (@said@_length == sizeof @said@_buffer)
        @said@_flush();
}
static void @said@_put(char c)
{
    unsigned char code = (unsigned char)c;
    if (code > 32 && code < 127 && code != '%' && code != ';') {
        @said@_raw(c);
        return;
    }
    @said@_raw('%');
    @said@_raw("0123456789ABCDEF"[code >> 4]);
    @said@_raw("0123456789ABCDEF"[code & 15]);
}
static void @said@_text(const char *text)
{
    while (*text)
        @said@_put(*text++);
}
static void @said@_begin(const char *number)
{
    const char *part;
    for (part = "@nonce@:"; *part; part++)
        @said@_raw(*part);
    for (part = number; *part; part++)
        @said@_raw(*part);
    @said@_raw(':');
}
static void @said@_done(void)
{
    @said@_raw(';');
    @said@_flush();
}
static void @said@_hex(const unsigned char *bytes, unsigned long size)
{
    unsigned long i;
    @said@_text("[\"y\",\"");
    for (i = 0; i < size; i++) {
        @said@_put("0123456789abcdef"[bytes[i] >> 4]);
        @said@_put("0123456789abcdef"[bytes[i] & 15]);
    }
    @said@_text("\"]");
}
static int @said@_is_text(const unsigned char *bytes, unsigned long size)
{
    unsigned long i = 0;
    while (i < size) {
        unsigned lead = bytes[i], more = lead < 0x80 ? 0 : lead >= 0xC2 && lead < 0xE0 ? 1 : lead >= 0xE0 && lead < 0xF0 ? 2 : 3;
        unsigned k, low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if ((more == 3 && (lead < 0xF0 || lead > 0xF4)) || size - i <= more)
            return 0;
        for (k = 1; k <= more; k++)
            if (bytes[i + k] < (k == 1 ? low : 0x80) || bytes[i + k] > (k == 1 ? high : 0xBF))
                return 0;
        i += more + 1;
    }
    return 1;
}
static void @said@_chars(const char *text, unsigned long size)
{
    unsigned long i;
    if (!@said@_is_text((const unsigned char *)text, size)) {
        @said@_hex((const unsigned char *)text, size);
        return;
    }
    @said@_text("[\"s\",\"");
    for (i = 0; i < size; i++) {
        unsigned char code = (unsigned char)text[i];
        if (code == '"' || code == '\\') {
            @said@_put('\\');
            @said@_put(text[i]);
        } else if (code < 32) {
            @said@_text("\\u00");
            @said@_put("0123456789abcdef"[code >> 4]);
            @said@_put("0123456789abcdef"[code & 15]);
        } else {
            @said@_put(text[i]);
        }
    }
    @said@_text("\"]");
}
static void @said@_digits(int minus, unsigned long long value)
{
    char digits[24];
    int n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    @said@_text("[\"i\",\"");
    if (minus)
        @said@_put('-');
    while (n)
        @said@_put(digits[--n]);
    @said@_text("\"]");
}
static void @said@_decimal(double value, int is_float)
{
    char text[64];
    int precision;
    for (precision = 1; precision <= 17; precision++) {
        __builtin_snprintf(text, sizeof text, "%.*g", precision, value);
        if (is_float ? (float)strtod(text, (char **)0) == (float)value : strtod(text, (char **)0) == value)
            break;
    }
    @said@_text("[\"f\",\"");
    @said@_text(text);
    @said@_text("\"]");
}
static void @said@_truth(const char *number, int value)
{
    @said@_begin(number);
    @said@_text(value ? "[\"b\",true]" : "[\"b\",false]");
    @said@_done();
}
static void @said@_int(const char *number, long long value)
{
    @said@_begin(number);
    @said@_digits(value < 0, value < 0 ? 0ULL - (unsigned long long)value : (unsigned long long)value);
    @said@_done();
}
static void @said@_unsigned(const char *number, unsigned long long value)
{
    @said@_begin(number);
    @said@_digits(0, value);
    @said@_done();
}
static void @said@_float(const char *number, float value)
{
    @said@_begin(number);
    @said@_decimal(value, 1);
    @said@_done();
}
static void @said@_double(const char *number, double value)
{
    @said@_begin(number);
    @said@_decimal(value, 0);
    @said@_done();
}
static void @said@_pointer(const char *number, const volatile void *value)
{
    @said@_begin(number);
    @said@_text(value ? "[\"o\",\"pointer\"]" : "[\"n\"]");
    @said@_done();
}
static void @said@_string(const char *number, const char *value)
{
    @said@_begin(number);
    if (value)
        @said@_chars(value, __builtin_strlen(value));
    else
        @said@_text("[\"n\"]");
    @said@_done();
}
static void @said@_prefix(const char *number, const char *value, unsigned long most)
{
    unsigned long size = 0;
    @said@_begin(number);
    while (value && size < most && value[size])
        size++;
    if (value)
        @said@_chars(value, size);
    else
        @said@_text("[\"n\"]");
    @said@_done();
}
static void @said@_bytes(const char *number, const void *value, unsigned long size)
{
    @said@_begin(number);
    @said@_hex((const unsigned char *)value, size);
    @said@_done();
}
static void @said@_end(const char *name)
{
    @said@_begin("end");
    @said@_text(name);
    @said@_done();
}
