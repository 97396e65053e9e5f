/* See spelled.h. */
#include "spelled.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_fixed32(bytes *b, uint32_t field, uint32_t value)
{
    uint8_t text[9] = {(uint8_t)((field & 0xf) << 3 | PF_WIRE_FIXED32), 0};
    size_t n = 1;
    for (uint32_t rest = field >> 4; rest; rest >>= 7) {
        text[n - 1] |= 0x80;
        text[n++] = rest & 0x7f;
    }
    for (unsigned i = 0; i < 4; i++) {
        text[n++] = (uint8_t)(value >> 8 * i);
    }
    pf_writer_raw(&b->w, text, n);
}

static void put_noise(bytes *b)
{
    static const uint32_t unknown[] = {190001, 190002, 190003, 190004};
    pf_writer_varint(&b->w, unknown[0], 1);
    text(b, unknown[1], "unknown");
    pf_writer_fixed64(&b->w, unknown[2], 1);
    put_fixed32(b, unknown[3], 1);
}

/* What follows the spelled field at p. */
static const char *skip_field(const char *p)
{
    p += strcspn(p, ":=#%'{(");
    if (*p == '\'') {
        return strchr(p + 1, '\'') + 1;
    }
    if (*p != '{' && *p != '(') {
        return p + strcspn(p, " \n})");
    }
    for (p++; *p != '}' && *p != ')'; p += strspn(p, " \n")) {
        p = skip_field(p + strspn(p, " \n"));
    }
    return p + 1;
}

static void put_fields(bytes *b, const char *p, spelling how, unsigned depth);

static void put_field(bytes *b, const char *p, spelling how, unsigned depth)
{
    char *after;
    const uint32_t field = (uint32_t)strtoul(p, &after, 10);
    const char *value = after + 1;
    cr_assert(field, "%s", p);
    switch (*after) {
    case ':':
        pf_writer_varint(&b->w, field, *value == '-' ? (uint64_t)strtoll(value, NULL, 0) : strtoull(value, NULL, 0));
        break;
    case '=':
        pf_writer_double(&b->w, field, strtod(value, NULL));
        break;
    case '#':
        pf_writer_fixed64(&b->w, field, strtoull(value, NULL, 0));
        break;
    case '%':
        put_fixed32(b, field, (uint32_t)strtoul(value, NULL, 0));
        break;
    case '\'':
        pf_writer_bytes(&b->w, field, value, strcspn(value, "'"));
        break;
    default:
        pf_writer_begin(&b->w, field);
        put_fields(b, value, *after == '(' ? AS_IT_STANDS : how, depth + 1);
        pf_writer_end(&b->w);
        break;
    }
}

/* The fields up to the end of their message. */
static void put_fields(bytes *b, const char *p, spelling how, unsigned depth)
{
    const char *at[64];
    size_t count = 0;
    for (p += strspn(p, " \n"); *p && *p != '}' && *p != ')'; p += strspn(p, " \n")) {
        cr_assert_lt(count, sizeof at / sizeof *at);
        at[count++] = p;
        p = skip_field(p);
    }
    for (size_t i = 1; how == DESCENDING && depth > 0 && i < count; i++) { /* equal numbers stay in order */
        const char *moved = at[i];
        size_t to = i;
        for (; to > 0 && strtoul(at[to - 1], NULL, 10) < strtoul(moved, NULL, 10); to--) {
            at[to] = at[to - 1];
        }
        at[to] = moved;
    }
    const bool noisy = how == NOISY && depth > 1;
    if (noisy) {
        put_noise(b);
    }
    for (size_t i = 0; i < count; i++) {
        put_field(b, at[i], how, depth);
    }
    if (noisy) {
        put_noise(b);
    }
}

void spell(bytes *b, const char *fields, spelling how)
{
    put_fields(b, fields, how, 0);
}

/* ---- showing ----------------------------------------------------------------------------------------------------- */

static void put_cell(const pf_trace *t, const pf_side_table *s, unsigned column, uint32_t row, pf_buffer *out)
{
    const pf_side_column *c = &s->spec->columns[column];
    if ((int)c->type >= PF_COLUMN_NUMBER) {
        return;
    }
    if (c->type == PF_COLUMN_TEXT) {
        const pf_str text = pf_trace_string(t, *pf_side_ref(s, column, row));
        pf_buffer_format(out, text.ptr ? " %s='%.*s'" : " %s=-", c->name, (int)text.len, text.ptr ? text.ptr : "");
    } else if (c->type == PF_COLUMN_REAL) {
        pf_buffer_format(out, " %s=%g", c->name, *pf_side_real(s, column, row));
    } else if (c->type == PF_COLUMN_ROW) {
        pf_buffer_format(out, " %s=%d", c->name, (int)*pf_side_ref(s, column, row));
    } else {
        pf_buffer_format(out, " %s=%lld", c->name, (long long)*pf_side_number(s, column, row));
    }
}

static void show_sides(const pf_trace *t, pf_buffer *out)
{
    for (size_t i = 0; i < PF_SIDE_COUNT; i++) {
        const pf_side_table *s = &t->sides.known[i];
        for (uint32_t row = 0; row < s->count; row++) {
            pf_buffer_format(out, "%s", s->spec->name);
            for (unsigned column = 0; column < s->spec->column_count; column++) {
                put_cell(t, s, column, row, out);
            }
            pf_buffer_text(out, "\n");
        }
    }
}

static void show_row_args(const pf_trace *t, pf_buffer *out)
{
    const pf_row_args *a = pf_trace_row_args(t);
    for (uint32_t i = 0; i < a->count; i++) {
        pf_str key = pf_trace_string(t, a->key[i]), s = pf_trace_string(t, a->text[i]);
        pf_buffer_format(out, "arg %d %u %.*s=%lld%.*s\n", (int)a->owner[i], a->row[i], (int)key.len, key.ptr,
                         (long long)a->number[i], (int)s.len, s.ptr ? s.ptr : "");
    }
}

static void show_flows(const pf_trace *t, pf_buffer *out)
{
    const pf_flows *f = pf_trace_flows(t);
    for (uint32_t i = 0; i < f->count; i++) {
        pf_buffer_format(out, "flow %u %u\n", f->slice_out[i], f->slice_in[i]);
    }
}

/* Appends `all` without places: " offset 12" of events and " at 12" at the ends of the lines of faults. */
static void put_without_places(const pf_buffer *all, pf_buffer *out)
{
    static const char *const words[] = {" offset ", " at "};
    for (size_t i = 0; i < all->len;) {
        size_t skipped = 0;
        for (size_t k = 0; k < 2; k++) {
            const size_t word = strlen(words[k]);
            if (all->len - i > word && memcmp(all->data + i, words[k], word) == 0) {
                const size_t digits = strspn(all->data + i + word, "-0123456789");
                skipped = digits ? word + digits : 0;
            }
        }
        if (!skipped) {
            pf_buffer_put(out, all->data + i, 1);
        }
        i += skipped ? skipped : 1;
    }
}

static void show_times(const pf_trace *t, pf_buffer *out)
{
    const pf_clock_snapshots *c = pf_trace_clock_snapshots(t);
    for (uint32_t i = 0; i < c->count; i++) {
        pf_buffer_format(out, "clock %lld %lld %lld %u\n", (long long)c->ts[i], (long long)c->clock_id[i],
                         (long long)c->clock_value[i], c->snapshot_id[i]);
    }
    pf_buffer_format(out, "from %lld to %lld\n", (long long)t->start_ts, (long long)t->end_ts);
}

void show_all(const pf_trace *t, pf_buffer *out)
{
    pf_buffer rows = {0};
    show_trace(t, &rows);
    pf_buffer_put(&rows, "\0", 1); /* where strspn ends */
    rows.len--;
    put_without_places(&rows, out);
    pf_buffer_free(&rows);
    show_row_args(t, out);
    show_flows(t, out);
    show_times(t, out);
    show_sides(t, out);
}
