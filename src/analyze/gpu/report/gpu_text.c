/* analyze/gpu/report/gpu_text.c - lengths, shares and names as people read them. Reals never go through printf, which
 * follows the host's locale: tenths are computed as integers. */
#include <inttypes.h>
#include <string.h>

#include "analyze/gpu/report/gpu_report.h"

static const char *text_of(pf_str s)
{
    return s.ptr ? s.ptr : "";
}

static uint64_t tenths(uint64_t part, uint64_t whole, uint64_t times)
{
    return (uint64_t)(((unsigned __int128)part * times * 10 + whole / 2) / whole);
}

const char *pf_gpu_length_text(pf_findings *f, uint64_t ns)
{
    static const struct {
        uint64_t below, unit;
        const char *name;
    } steps[] = {{999950, 1000, "us"}, {999950000, 1000000, "ms"}, {UINT64_MAX, 1000000000, "s"}};
    size_t i = 0;
    if (ns < 1000) {
        return text_of(pf_findings_format(f, "%" PRIu64 " ns", ns));
    }
    while (ns >= steps[i].below && steps[i].below != UINT64_MAX) {
        i++;
    }
    uint64_t t = tenths(ns, steps[i].unit, 1);
    return text_of(pf_findings_format(f, "%" PRIu64 ".%" PRIu64 " %s", t / 10, t % 10, steps[i].name));
}

const char *pf_gpu_share_text(pf_findings *f, uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        return "-";
    }
    uint64_t t = tenths(part, whole, 100);
    return text_of(pf_findings_format(f, "%" PRIu64 ".%" PRIu64 " %%", t / 10, t % 10));
}

const char *pf_gpu_short_name(pf_findings *f, pf_str name, size_t most)
{
    if (!name.ptr) {
        return "-";
    }
    bool cut = name.len > most;
    size_t len = cut ? most : name.len;
    while (cut && len && (name.ptr[len] & 0xc0) == 0x80) {
        len--; /* not inside a UTF-8 sequence */
    }
    return text_of(pf_findings_format(f, "%.*s%s", (int)len, name.ptr, cut ? "..." : ""));
}

size_t pf_gpu_column(const pf_table *t, const char *column)
{
    size_t c = 0;
    while (c + 1 < t->column_count && strcmp(t->columns[c].name, column) != 0) {
        c++;
    }
    return c;
}

const pf_cell *pf_gpu_cell(const pf_table *t, size_t row, const char *column)
{
    return &t->cells[row * t->column_count + pf_gpu_column(t, column)];
}
