/* read/tinygrad/pickle/pickle_members.c - opcodes that make lists, tuples, dicts and sets, or fill them. */
#include "read/tinygrad/pickle/pickle_machine.h"

pf_status pf_pickle_op_empty(pf_pickle *p, unsigned arg)
{
    uint32_t value;
    PF_TRY(pf_pickle_add_empty(p->v, (pf_pickle_type)arg, 0, &value, p->err));
    return pf_pickle_push(p, value);
}

/* Appends the values that lie on the stack from `from` on, as keys and values by turns if it is a dict. */
static pf_status append_all(pf_pickle *p, uint32_t to, bool keyed, size_t from, size_t count)
{
    PF_TRY(keyed && count % 2 ? pf_pickle_refuse(p, "a key without a value") : PF_OK);
    size_t step = keyed ? 2 : 1;
    for (size_t i = 0; i < count; i += step) {
        size_t at = from + i;
        PF_TRY(pf_pickle_append(p->v, to, keyed ? p->stack.row[at] : PF_NONE, p->stack.row[at + step - 1], p->err));
    }
    return PF_OK;
}

pf_status pf_pickle_op_gather(pf_pickle *p, unsigned arg)
{
    size_t from, count;
    uint32_t value;
    PF_TRY(pf_pickle_above_mark(p, &from, &count));
    PF_TRY(pf_pickle_add_empty(p->v, (pf_pickle_type)arg, 0, &value, p->err));
    PF_TRY(append_all(p, value, arg == PF_PICKLE_DICT, from, count));
    p->stack.count = from;
    return pf_pickle_push(p, value);
}

pf_status pf_pickle_op_tuple(pf_pickle *p, unsigned arg)
{
    uint32_t member[3], value;
    for (unsigned i = arg; i-- > 0;) {
        PF_TRY(pf_pickle_pop(p, &member[i]));
    }
    PF_TRY(pf_pickle_add_empty(p->v, PF_PICKLE_TUPLE, 0, &value, p->err));
    for (unsigned i = 0; i < arg; i++) {
        PF_TRY(pf_pickle_append(p->v, value, PF_NONE, member[i], p->err));
    }
    return pf_pickle_push(p, value);
}

/* One member, or all above the mark, into the value below. */
static pf_status fill(pf_pickle *p, bool keyed, bool one)
{
    size_t from = p->stack.count, count = keyed ? 2 : 1;
    uint32_t to;
    if (!one) {
        PF_TRY(pf_pickle_above_mark(p, &from, &count));
    } else {
        for (size_t i = 0; i < count; i++) {
            PF_TRY(pf_pickle_pop(p, &to));
        }
        from -= count;
    }
    p->stack.count = from;
    PF_TRY(pf_pickle_peek(p, &to));
    /* a container made by the opcodes above: what an object does when it is appended to, nobody knows here */
    pf_pickle_type type = pf_pickle_type_of(p->v, to);
    bool fits = keyed ? type == PF_PICKLE_DICT : type == PF_PICKLE_LIST || type == PF_PICKLE_SET;
    PF_TRY(fits || type == PF_PICKLE_OBJECT
               ? PF_OK
               : pf_pickle_refuse(p, "the value on the stack holds no members of that kind"));
    return append_all(p, to, keyed, from, count);
}

pf_status pf_pickle_op_append(pf_pickle *p, unsigned arg)
{
    return fill(p, false, arg);
}

pf_status pf_pickle_op_set_item(pf_pickle *p, unsigned arg)
{
    return fill(p, true, arg);
}
