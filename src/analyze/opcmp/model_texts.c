/* analyze/opcmp/model_texts.c - what the arguments of a piece's operators say.
 *
 * Arguments repeat by the thousand, so what a text means is worked out once in a piece, by its id. Kernel types get ids
 * of the piece, which whoever adds the pieces up replaces by those of the comparison: so no thread waits for another,
 * and a text that no other event has is forgotten with its piece.
 */
#include <string.h>

#include "analyze/opcmp/model_pieces.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

static bool add_type(opcmp_piece *p, opcmp_said *said, const char *text, size_t len)
{
    uint32_t id = pf_strings_add(&p->names, text, len, &p->error);
    said->reduces |= pf_str_equal((pf_str){text, len}, PF_STR("hcom_allReduce_"));
    said->type[said->count] = id;
    said->count += id != PF_NONE;
    return id != PF_NONE;
}

/* Kernel types between commas. */
static pf_status learn_types(opcmp_piece *p, opcmp_said *said, pf_str text)
{
    size_t commas = 0;
    said->usable = text.len > 0 && !pf_str_equal(text, PF_STR("?"));
    for (size_t i = 0; i < text.len; i++) {
        commas += text.ptr[i] == ',';
    }
    said->type = said->usable ? pf_pass_array(&p->arena, commas + 1, sizeof *said->type, &p->error) : NULL;
    if (!said->type) {
        return said->usable ? p->error.code : PF_OK;
    }
    for (size_t from = 0, to = 0; from <= text.len; from = to + 1) {
        const char *comma = from < text.len ? memchr(text.ptr + from, ',', text.len - from) : NULL;
        to = comma ? (size_t)(comma - text.ptr) : text.len;
        pf_str part = pf_opcmp_trim((pf_str){text.ptr + from, to - from});
        if (part.len && !add_type(p, said, part.ptr, part.len)) {
            return p->error.code;
        }
    }
    return PF_OK;
}

static pf_status learn_durations(opcmp_piece *p, opcmp_said *said, pf_str text)
{
    said->usable = pf_literal_read_pairs(text, &p->pairs);
    if (p->pairs.failed || p->pairs.text.failed) {
        return pf_no_memory(&p->error);
    }
    if (!said->usable) {
        return PF_OK;
    }
    said->type = pf_pass_array(&p->arena, p->pairs.count, sizeof *said->type, &p->error);
    said->us = said->type ? pf_pass_array(&p->arena, p->pairs.count, sizeof *said->us, &p->error) : NULL;
    if (!said->us) {
        return p->error.code;
    }
    for (size_t i = 0; i < p->pairs.count; i++) {
        const pf_literal_pair *pair = &p->pairs.pair[i];
        said->us[i] = pair->value;
        if (!add_type(p, said, pair->name_len ? p->pairs.text.data + pair->name : "", pair->name_len)) {
            return p->error.code;
        }
    }
    return PF_OK;
}

typedef pf_status learner(opcmp_piece *p, opcmp_said *said, pf_str text);

/* Works out what the texts of a column mean; *out is by text id, of which 0 stands for none. */
static pf_status learn_column(opcmp_piece *p, size_t column, learner *learn, opcmp_said **out)
{
    const uint32_t *text = pf_arg_column_at(p->columns, column)->values.text;
    size_t texts = (size_t)pf_arg_columns_text_count(p->columns) + 1;
    opcmp_said *said = *out = pf_pass_array(&p->arena, texts, sizeof *said, &p->error);
    if (!said) {
        return p->error.code;
    }
    memset(said, 0, texts * sizeof *said);
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < p->count && st == PF_OK; i++) {
        uint32_t id = text[i];
        if (id && !said[id].known) {
            said[id].known = true;
            st = learn(p, &said[id], pf_arg_columns_text(p->columns, id));
        }
    }
    return st;
}

static pf_status read_columns(opcmp_piece *p, const pf_trace *t, bool by_shape)
{
    static const pf_arg_key keys[] = {{.key = "kernel_type", .type = PF_ARG_TEXT},
                                      {.key = "sub_kernel_durations", .type = PF_ARG_TEXT},
                                      {.key = "simulation_shapes", .type = PF_ARG_TEXT}};
    static const pf_arg_options alone = {.jobs = 1};
    pf_status st = pf_arg_columns_read(t, p->row, p->count, keys, by_shape ? 3 : 2, &alone, &p->columns, &p->error);
    st = st == PF_OK ? learn_column(p, 0, learn_types, &p->types) : st;
    return st == PF_OK ? learn_column(p, 1, learn_durations, &p->durations) : st;
}

void pf_opcmp_piece_read(opcmp_piece *p, const pf_trace *t, uint32_t upid, bool by_shape, pf_budget *budget)
{
    const pf_events *e = pf_trace_events(t);
    p->count = 0;
    p->error = (pf_error){.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_arena_init(&p->arena, budget);
    for (uint32_t i = p->from; i < p->to; i++) {
        p->row[p->count] = i;
        p->count += pf_opcmp_is_complete(e, i) && pf_opcmp_upid(t, i) == upid;
    }
    p->status = pf_strings_init(&p->names, budget, &p->error);
    p->status = p->status == PF_OK && p->count ? read_columns(p, t, by_shape) : p->status;
}

void pf_opcmp_piece_clear(opcmp_piece *p)
{
    pf_arg_columns_free(p->columns);
    pf_strings_free(&p->names);
    pf_arena_free(&p->arena);
    p->columns = NULL;
}
