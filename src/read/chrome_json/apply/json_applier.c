/* read/chrome_json/apply/json_applier.c - the state that applying records needs, and what all parts of it use: texts as
 * strings of the trace, members of records, scratch memory.
 */
#include "read/chrome_json/apply/json_applier.h"

#include "base/text/escapes.h"
#include "read/chrome_json/apply/json_args.h"

pf_status pf_json_applier_init(pf_json_applier *a, pf_trace *t, bool recognise, pf_error *err)
{
    static const char no_name[] = "[No name]";
    a->t = t;
    a->recognise = recognise;
    a->decoder = pf_trace_add_decoder(t, pf_json_decode_args, NULL);
    t->finder[a->decoder] = pf_json_find_args;
    a->global_instants = PF_NONE;
    pf_map_init(&a->process_instants, &t->budget);
    pf_map_init(&a->counters, &t->budget);
    pf_map_init(&a->operations, &t->budget);
    pf_map_init(&a->notes, &t->budget);
    pf_map_init(&a->profiles.sessions, &t->budget);
    pf_map_init(&a->profiles.nodes, &t->budget);
    pf_columns_init(&a->async.columns, &t->budget, "async operations");
    pf_map_init(&a->sort_index[0], &t->budget);
    pf_map_init(&a->sort_index[1], &t->budget);
    pf_map_init(&a->named, &t->budget);
    pf_columns_init(&a->naming.columns, &t->budget, "names of processes and threads");
    a->flow_base = (uint64_t)t->events.count << 32;
    a->first_stack = t->sides.known[PF_SIDE_EVENT_STACK].count;
    a->first_entry = t->metadata.count;
    uint32_t unnamed = pf_strings_add(&t->strings, no_name, sizeof no_name - 1, err);
    if (unnamed == PF_NONE || a->decoder == PF_NONE) {
        return unnamed == PF_NONE ? err->code : pf_trace_no_decoder(err);
    }
    t->unnamed_slice = unnamed;
    pf_status st = pf_columns_add(&a->async.columns, (void **)&a->async.track, sizeof *a->async.track, err);
    if (st == PF_OK) {
        st = pf_columns_add(&a->async.columns, (void **)&a->async.named_at, sizeof *a->async.named_at, err);
    }
    if (st == PF_OK) {
        st = pf_columns_add(&a->naming.columns, (void **)&a->naming.ts, sizeof *a->naming.ts, err);
    }
    return st;
}

static void free_numbers(pf_json_applier *a, pf_json_numbers *n)
{
    pf_release(&a->t->budget, n->list, n->room * sizeof *n->list);
}

void pf_json_applier_free(pf_json_applier *a)
{
    pf_map_free(&a->process_instants);
    pf_map_free(&a->counters);
    pf_map_free(&a->operations);
    pf_map_free(&a->notes);
    pf_map_free(&a->profiles.sessions);
    pf_map_free(&a->profiles.nodes);
    free_numbers(a, &a->profiles.times);
    free_numbers(a, &a->profiles.samples);
    free_numbers(a, &a->profiles.deltas);
    pf_columns_free(&a->async.columns);
    pf_map_free(&a->sort_index[0]);
    pf_map_free(&a->sort_index[1]);
    pf_map_free(&a->named);
    pf_columns_free(&a->naming.columns);
    pf_strings_free(&a->keys);
    pf_buffer_free(&a->note);
    pf_release(&a->t->budget, a->scratch, a->scratch_cap);
}

uint32_t pf_json_key_number(pf_json_applier *a, const char *key, size_t len, pf_error *err)
{
    bool made = a->keys.count > 0 || pf_strings_init(&a->keys, &a->t->budget, err) == PF_OK;
    return made ? pf_strings_add(&a->keys, key, len, err) : PF_NONE;
}

char *pf_json_scratch(pf_json_applier *a, size_t len, pf_error *err)
{
    if (len > a->scratch_cap) {
        size_t cap = len < 4096 ? 4096 : len + len / 2;
        char *p = pf_resize(&a->t->budget, a->scratch, a->scratch_cap, cap);
        if (!p) {
            pf_budget_refused(&a->t->budget, cap, err);
            return NULL;
        }
        a->scratch = p;
        a->scratch_cap = cap;
    }
    return a->scratch;
}

void pf_json_merge_faults(pf_trace *t, const pf_json_faults *f)
{
    for (int i = 0; i < PF_JSON_FAULTS; i++) {
        if (f->count[i] == 0) {
            continue;
        }
        if (t->stat_count[i] == 0 || f->first[i] < t->stat_offset[i]) {
            t->stat_offset[i] = f->first[i];
        }
        t->stat_count[i] += f->count[i];
    }
}

uint32_t pf_json_intern(pf_json_applier *a, const pf_json_text *text, uint64_t offset, pf_error *err)
{
    if (text->len == 0) {
        return 0;
    }
    if (!text->escaped) {
        return pf_strings_add(&a->t->strings, (const char *)text->ptr, text->len, err);
    }
    char *plain = pf_json_scratch(a, text->len, err);
    if (!plain) {
        return PF_NONE;
    }
    unsigned lone = 0;
    size_t len = pf_json_unescape(text->ptr, text->len, plain, &lone);
    for (; lone > 0; lone--) {
        pf_trace_count(a->t, PF_STAT_JSON_BAD_VALUE, offset);
    }
    return len ? pf_strings_add(&a->t->strings, plain, len, err) : 0;
}

/* ---- members of records ------------------------------------------------------------------------------------------ */

pf_str pf_json_name_of(const pf_json_piece *piece, const pf_json_record *r)
{
    if (r->name == 0) {
        return (pf_str){NULL, 0};
    }
    if (r->name <= PF_JSON_TEXTS) {
        const pf_json_known_text *k = &piece->text[r->name - 1];
        return (pf_str){(const char *)k->words.w, k->len};
    }
    const pf_json_text *text = &piece->other[r->name - PF_JSON_TEXTS - 1].text;
    return (pf_str){(const char *)text->ptr, text->len};
}

const pf_json_rare *pf_json_rare_of(const pf_json_piece *piece, const pf_json_record *r)
{
    static const pf_json_rare nothing = {.id.kind = PF_JSON_ID_ABSENT, .bind_id.kind = PF_JSON_ID_ABSENT};
    return r->rare && r->rare != PF_JSON_ONLY_ID ? &piece->rare[r->rare] : &nothing;
}

pf_json_id pf_json_id_of(const pf_json_piece *piece, const pf_json_record *r)
{
    return r->rare == PF_JSON_ONLY_ID ? (pf_json_id){.kind = PF_JSON_ID_INT, .number = r->dur}
                                      : pf_json_rare_of(piece, r)->id;
}
