/* base/status.c - the error object and the defaults of the limits. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "postfetto/base.h"

__attribute__((format(printf, 4, 0))) static void describe(pf_error *err, pf_status code, uint64_t offset,
                                                           const char *format, va_list args)
{
    err->code = code;
    err->offset = offset;
    err->packet = PF_NOWHERE;
    err->file[0] = '\0';
    vsnprintf(err->text, sizeof err->text, format, args);
}

pf_status pf_fail(pf_error *err, pf_status code, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        describe(err, code, PF_NOWHERE, format, args);
        va_end(args);
    }
    return code;
}

pf_status pf_fail_at(pf_error *err, pf_status code, uint64_t offset, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        describe(err, code, offset, format, args);
        va_end(args);
    }
    return code;
}

pf_limits pf_limits_default(void)
{
    return (pf_limits){
        .memory = 16ull << 30,
        .input = 64ull << 30,
        .plain = 256ull << 30,
        .ratio = 1100,
        .rows = 4000000000ull,
        .depth = 512,
        .keys = 65536,
    };
}

const char *pf_version(void)
{
    return PF_VERSION;
}

const char *pf_features(void)
{
    return "zlib zstd zip sqlite";
}

void pf_error_in(pf_error *err, const char *path)
{
    if (err && !err->file[0]) {
        size_t len = strnlen(path, sizeof err->file - 1);
        memcpy(err->file, path, len);
        err->file[len] = '\0';
    }
}
