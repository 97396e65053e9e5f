/* read/tinygrad/pickle/pickle_stack.c - what opcodes work with: the next bytes, the stack with its marks, the memo. */
#include <stdarg.h>
#include <stdio.h>

#include "base/list.h"
#include "read/tinygrad/pickle/pickle_machine.h"

static const char advice[] = "the file is damaged, or not a profile that tinygrad wrote";

pf_status pf_pickle_refuse(pf_pickle *p, const char *format, ...)
{
    char what[200];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return pf_fail_at(p->err, PF_ERR_INPUT, p->v->op, "pickle opcode 0x%02x: %s; %s", p->bytes[p->v->op], what, advice);
}

static pf_status underflow(pf_pickle *p)
{
    return pf_fail_at(p->err, PF_ERR_INPUT, p->at, "pickle opcode 0x%02x takes more than the stack holds; %s",
                      p->bytes[p->v->op], advice);
}

pf_status pf_pickle_take(pf_pickle *p, uint64_t n, const uint8_t **out)
{
    *out = NULL;
    p->v->truncated = n > p->len - p->at;
    if (p->at == p->v->op && p->at == p->len) {
        return pf_fail_at(p->err, PF_ERR_INPUT, p->at, "the pickle ends without opcode STOP; copy the file again");
    }
    if (n > p->len - p->at) {
        return pf_fail_at(p->err, PF_ERR_INPUT, p->at,
                          "the pickle ends in the middle: opcode 0x%02x at byte %zu needs %llu bytes more, %zu are "
                          "left; copy the file again",
                          p->bytes[p->v->op], p->v->op, (unsigned long long)n, p->len - p->at);
    }
    *out = p->bytes + p->at;
    p->at += (size_t)n;
    return PF_OK;
}

pf_status pf_pickle_take_number(pf_pickle *p, unsigned width, uint64_t *out)
{
    const uint8_t *bytes;
    PF_TRY(pf_pickle_take(p, width, &bytes));
    *out = pf_pickle_little_endian(bytes, width);
    return PF_OK;
}

pf_status pf_pickle_take_counted(pf_pickle *p, unsigned width, pf_bytes *out)
{
    uint64_t n;
    PF_TRY(pf_pickle_take_number(p, width, &n));
    PF_TRY(pf_pickle_take(p, n, &out->ptr));
    out->len = (size_t)n;
    return PF_OK;
}

static pf_status put(pf_pickle *p, pf_pickle_rows *a, uint32_t row)
{
    PF_TRY(PF_LIST_ROOM(p->budget, a->row, a->count + 1, a->room, p->err));
    a->row[a->count++] = row;
    return PF_OK;
}

pf_status pf_pickle_push(pf_pickle *p, uint32_t value)
{
    return put(p, &p->stack, value);
}

pf_status pf_pickle_make(pf_pickle *p, pf_pickle_type type, int64_t number, uint32_t text)
{
    uint32_t value;
    PF_TRY(pf_pickle_add(p->v, type, number, text, &value, p->err));
    return pf_pickle_push(p, value);
}

pf_status pf_pickle_peek(pf_pickle *p, uint32_t *value)
{
    *value = PF_NONE;
    if (p->stack.count == pf_pickle_floor(p)) {
        return underflow(p);
    }
    *value = p->stack.row[p->stack.count - 1];
    return PF_OK;
}

pf_status pf_pickle_pop(pf_pickle *p, uint32_t *value)
{
    PF_TRY(pf_pickle_peek(p, value));
    p->stack.count--;
    return PF_OK;
}

pf_status pf_pickle_op_mark(pf_pickle *p, unsigned arg)
{
    return p->stack.count < PF_PICKLE_VALUES_MAX ? put(p, &p->marks, (uint32_t)p->stack.count)
                                                 : pf_pickle_refuse(p, "the stack is too deep");
}

pf_status pf_pickle_above_mark(pf_pickle *p, size_t *from, size_t *count)
{
    if (p->marks.count == 0) {
        return underflow(p);
    }
    *from = p->marks.row[--p->marks.count];
    *count = p->stack.count - *from;
    return PF_OK;
}

pf_status pf_pickle_remember(pf_pickle *p, uint64_t index, uint32_t value)
{
    if (index > p->len) {
        return pf_pickle_refuse(p, "memo index %llu is beyond what a file of this size can need",
                                (unsigned long long)index);
    }
    p->memo_count++;
    bool good = !pf_pickle_is_fetched(p, index) || pf_map_set(&p->memo, index, value);
    return good ? PF_OK : pf_budget_refused(p->budget, 0, p->err);
}

pf_status pf_pickle_add_text(pf_pickle *p, pf_str text, uint32_t *id)
{
    *id = pf_strings_add(&p->v->texts, text.ptr, text.len, p->err);
    return *id == PF_NONE ? p->err->code : PF_OK;
}
