/* read/tinygrad/pickle/pickle_machine.c - the loop over the opcodes, and those that move values on the stack and to the
 * memo. */
#include "read/tinygrad/pickle/pickle_machine.h"

#include "base/list.h"

static pf_status pf_pickle_op_pop(pf_pickle *p, unsigned to_mark)
{
    size_t from = 0, count;
    uint32_t value;
    if (!to_mark && p->stack.count > pf_pickle_floor(p)) {
        return pf_pickle_pop(p, &value);
    }
    PF_TRY(pf_pickle_above_mark(p, &from, &count));
    p->stack.count = from;
    return PF_OK;
}

static pf_status pf_pickle_op_dup(pf_pickle *p, unsigned arg)
{
    uint32_t value;
    PF_TRY(pf_pickle_peek(p, &value));
    return pf_pickle_push(p, value);
}

static pf_status pf_pickle_op_memoize(pf_pickle *p, unsigned width)
{
    uint64_t index = p->memo_count;
    uint32_t value;
    if (width) {
        PF_TRY(pf_pickle_take_number(p, width, &index));
    }
    PF_TRY(pf_pickle_peek(p, &value));
    return pf_pickle_remember(p, index, value);
}

static pf_status pf_pickle_op_recall(pf_pickle *p, unsigned width)
{
    uint64_t index;
    PF_TRY(pf_pickle_take_number(p, width, &index));
    uint32_t value = pf_map_get(&p->memo, index);
    if (value == PF_NONE) {
        return pf_pickle_refuse(p, "nothing was put into the memo at %llu", (unsigned long long)index);
    }
    return pf_pickle_push(p, value);
}

static pf_status pf_pickle_op_protocol(pf_pickle *p, unsigned arg)
{
    uint64_t version;
    PF_TRY(pf_pickle_take_number(p, 1, &version));
    return version >= 2 && version <= 5
               ? PF_OK
               : pf_pickle_refuse(p, "protocol %u is not known, only 2 to 5 are", (unsigned)version);
}

static pf_status pf_pickle_op_frame(pf_pickle *p, unsigned arg)
{
    const uint8_t *length;
    return pf_pickle_take(p, 8, &length);
}

static pf_status pf_pickle_op_stop(pf_pickle *p, unsigned arg)
{
    p->stopped = true;
    return PF_OK;
}

static const struct {
    pf_pickle_op run;
    unsigned arg;
} ops[256] = {
#define ROW(code, run, arg, ...) [code] = {pf_pickle_op_##run, arg},
    PF_PICKLE_OPCODES(ROW)};

/* Hands the items of the list over and takes them out of it. */
static pf_status hand_over(pf_pickle *p, pf_pickle_item item, void *ctx)
{
    pf_pickle_values *v = p->v;
    uint32_t list = p->stack.row[0];
    if (v->value.row[list].first == PF_NONE) {
        return PF_OK;
    }
    for (uint32_t i = pf_pickle_first(v, list); i != PF_NONE; i = pf_pickle_next(v, i)) {
        PF_TRY(item(ctx, pf_pickle_member(v, i), p->err));
    }
    v->value.row[list].first = v->value.row[list].last = PF_NONE;
    return pf_pickle_collect(p);
}

/* Hands over the items that wait for APPENDS. */
static pf_status hand_over_early(pf_pickle *p, pf_pickle_item item, void *ctx)
{
    p->complete_at = pf_pickle_next_complete(p);
    if (p->marks.count != 1 || p->marks.row[0] != 1 || pf_pickle_type_of(p->v, p->stack.row[0]) != PF_PICKLE_LIST) {
        return PF_OK;
    }
    for (size_t i = 1; i < p->stack.count; i++) {
        p->v->made++; /* an item of the list, like those that APPENDS makes */
        PF_TRY(item(ctx, p->stack.row[i], p->err));
    }
    p->stack.count = 1;
    return pf_pickle_collect(p);
}

/* Where the input ends: hands over the items that wait for APPENDS and are complete. An object gets its fields last, so
 * the first one without any was in the making, and what is no object at the end was to become part of one. */
static pf_status hand_over_rest(pf_pickle *p, pf_pickle_item item, void *ctx)
{
    pf_pickle_values *v = p->v;
    size_t end = p->marks.count > 1 ? p->marks.row[1] : p->stack.count;
    bool batch = p->marks.count == 0 || p->marks.row[0] == 1;
    if (!batch || p->stack.count == 0 || pf_pickle_type_of(v, p->stack.row[0]) != PF_PICKLE_LIST) {
        return PF_OK;
    }
    for (size_t i = 1; i < end; i++) {
        uint32_t value = p->stack.row[i];
        bool object = pf_pickle_type_of(v, value) == PF_PICKLE_OBJECT;
        if (object && pf_pickle_first(v, value) == PF_NONE) {
            break;
        }
        v->made++;
        PF_TRY(object ? item(ctx, value, p->err) : PF_OK);
    }
    return PF_OK;
}

static pf_status run(pf_pickle *p, pf_pickle_item item, void *ctx, const volatile int *cancel)
{
    p->complete_at = pf_pickle_next_complete(p);
    for (uint64_t i = 0; !p->stopped; i++) {
        if (i % 65536 == 0 && cancel && *cancel) {
            return pf_fail(p->err, PF_ERR_CANCELLED, "cancelled");
        }
        if (item && p->at == p->complete_at) {
            PF_TRY(hand_over_early(p, item, ctx));
        }
        const uint8_t *op;
        p->v->op = p->at;
        PF_TRY(pf_pickle_take(p, 1, &op));
        PF_TRY(ops[*op].run ? ops[*op].run(p, ops[*op].arg) : pf_pickle_refuse(p, "not allowed in a profile"));
        bool alone = item && p->stack.count == 1 && p->marks.count == 0;
        if (alone && pf_pickle_type_of(p->v, p->stack.row[0]) == PF_PICKLE_LIST) {
            PF_TRY(hand_over(p, item, ctx));
        }
    }
    return PF_OK;
}

/* An input that is cut has failed still, but for its complete items. */
static pf_status end_cut(pf_pickle *p, pf_pickle_item item, void *ctx)
{
    const pf_error cut = *p->err;
    p->v->truncated = false;
    PF_TRY(hand_over_rest(p, item, ctx));
    p->v->truncated = true;
    *p->err = cut;
    return PF_ERR_INPUT;
}

pf_status pf_pickle_read(pf_pickle_values *v, pf_pickle_item item, void *ctx, const volatile int *cancel, uint32_t *top,
                         pf_error *err)
{
    pf_pickle p = {.v = v,
                   .budget = v->budget,
                   .bytes = v->input.ptr,
                   .len = v->input.len,
                   .decimal = PF_NONE,
                   .collect_at = 1 << 16,
                   .err = err};
    *top = PF_NONE;
    pf_map_init(&p.memo, p.budget);
    v->truncated = false;
    pf_status st = run(&p, item, ctx, cancel);
    st = st == PF_ERR_INPUT && v->truncated && item ? end_cut(&p, item, ctx) : st;
    st = st == PF_OK ? pf_pickle_pop(&p, top) : pf_pickle_name_opcode(v, v->op, st, err);
    pf_map_free(&p.memo);
    PF_LIST_FREE(p.budget, p.stack.row, p.stack.room);
    PF_LIST_FREE(p.budget, p.marks.row, p.marks.room);
    return st;
}
