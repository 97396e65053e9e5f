/* analyze/tinygrad/timeline/tg_memory.c - the memory of a device: buffers that come and go, who uses them, and the
 * peak.
 *
 * Users of a buffer are chained in the order of the executions, until a release takes the chain away. What is still
 * there at the end is released at the end of the profile, in the order in which it was allocated. */
#include "analyze/tinygrad/timeline/tg_timeline.h"

#include "base/arena.h"
#include "base/map.h"

/* No allocation counts for more items: sizes can be symbolic, and then say nothing. */
#define MOST_ITEMS INT64_C(1000000000000)

/* A buffer that is there or has users. */
typedef struct buffer {
    int64_t id;
    bool there;
    uint64_t bytes, born; /* born: number of its allocation, for the order at the end */
    uint32_t first_user, last_user;
    uint32_t run, use; /* the execution that used it last, and its first use there: what the viewer names */
} buffer;

/* A use of a buffer, and the next one of the same. */
typedef struct use {
    uint32_t row, next;
} use;

typedef struct memory {
    tg_timeline *l;
    const tg_input *in;
    pf_map buffer_of; /* id -> number in `buffers` */
    buffer *buffers;
    uint32_t buffer_count;
    use *uses;
    uint32_t use_count;
    tg_change *changes;
    uint32_t change_count;
    uint32_t *users;
    uint32_t user_count;
    uint64_t held, peak, births;
    uint32_t peak_at;
} memory;

static uint32_t run_at(const tg_input *in, uint32_t event)
{
    return pf_tg_find(in->runs.event, in->runs.count, event);
}

static uint32_t change_at(const tg_input *in, uint32_t event)
{
    return pf_tg_find(in->memory.event, in->memory.count, event);
}

/* The uses of a run, which may be none. */
static tg_rows uses_of(const tg_input *in, uint32_t run)
{
    return run == PF_NONE ? (tg_rows){0, 0} : pf_tg_rows_of(in->uses.run, in->uses.count, run);
}

static pf_status find(memory *m, int64_t id, buffer **out, pf_error *err)
{
    uint32_t i = pf_map_get(&m->buffer_of, (uint64_t)id);
    if (i == PF_NONE) {
        i = m->buffer_count++;
        m->buffers[i] = (buffer){.id = id, .first_user = PF_NONE, .last_user = PF_NONE, .run = PF_NONE};
        PF_TRY(pf_map_put(&m->buffer_of, (uint64_t)id, i, err));
    }
    *out = &m->buffers[i];
    return PF_OK;
}

static void note_dtype(tg_timeline *l, uint32_t name, int64_t bytes)
{
    for (uint32_t i = 0; i < l->dtype_count; i++) {
        if (l->dtypes[i].name == name) {
            return;
        }
    }
    if (l->dtype_count < 1000) {
        l->dtypes[l->dtype_count++] = (tg_dtype){name, bytes};
    }
}

int64_t pf_tg_items(const tg_input *in, uint32_t row)
{
    int64_t items = in->memory.items[row];
    return items < 0 ? 0 : items > MOST_ITEMS ? MOST_ITEMS : items;
}

static pf_status allocate(memory *m, uint32_t row, int64_t us, pf_error *err)
{
    const tg_memory *in = &m->in->memory;
    buffer *b;
    PF_TRY(find(m, in->buffer[row], &b, err));
    int64_t items = pf_tg_items(m->in, row);
    int64_t item = in->item_bytes[row] < 0 ? 0 : in->item_bytes[row];
    b->born = b->there ? b->born : m->births++;
    b->there = true;
    b->bytes = (uint64_t)items * (uint64_t)item; /* at most 10^12 times 2^20 */
    m->held = m->held > UINT64_MAX - b->bytes ? UINT64_MAX : m->held + b->bytes;
    if (m->held > m->peak) {
        m->peak = m->held;
        m->peak_at = m->change_count;
    }
    note_dtype(m->l, in->dtype[row], item);
    m->changes[m->change_count++] = (tg_change){.alloc = true, .us = us, .buffer = b->id, .row = row, .held = m->held};
    return PF_OK;
}

static void release(memory *m, buffer *b, int64_t us)
{
    tg_change *c = &m->changes[m->change_count++];
    m->held -= b->there && b->bytes <= m->held ? b->bytes : 0;
    *c = (tg_change){.us = us, .buffer = b->id, .row = PF_NONE, .first_user = m->user_count, .held = m->held};
    for (uint32_t u = b->first_user; u != PF_NONE; u = m->uses[u].next) {
        m->users[m->user_count++] = m->uses[u].row;
    }
    c->user_count = m->user_count - c->first_user;
    b->there = false;
    b->first_user = b->last_user = PF_NONE;
}

static pf_status note_uses(memory *m, uint32_t run, pf_error *err)
{
    tg_rows uses = uses_of(m->in, run);
    for (uint32_t u = uses.first; u < uses.end; u++) {
        buffer *b;
        PF_TRY(find(m, m->in->uses.buffer[u], &b, err));
        b->use = b->run == run ? b->use : u;
        b->run = run;
        m->uses[m->use_count] = (use){b->use, PF_NONE};
        *(b->last_user == PF_NONE ? &b->first_user : &m->uses[b->last_user].next) = m->use_count;
        b->last_user = m->use_count++;
    }
    return PF_OK;
}

static pf_status step(memory *m, uint32_t event, pf_error *err)
{
    int64_t us = pf_tg_us(m->in->events.ts[event]);
    uint32_t run = run_at(m->in, event), row = change_at(m->in, event);
    if (run != PF_NONE) {
        return note_uses(m, run, err);
    }
    if (row == PF_NONE || m->in->memory.buffer[row] == INT64_MIN) {
        return PF_OK;
    }
    if (pf_tg_is(m->in, m->in->memory.action[row], "alloc")) {
        return allocate(m, row, us, err);
    }
    uint32_t known = pf_map_get(&m->buffer_of, (uint64_t)m->in->memory.buffer[row]);
    if (known != PF_NONE && m->buffers[known].there) {
        release(m, &m->buffers[known], us);
    }
    return PF_OK;
}

static pf_status walk(memory *m, const uint32_t *rows, uint32_t count, pf_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        PF_TRY(step(m, rows[i], err));
    }
    /* what is left goes in the order of its allocation: a list by number of birth */
    uint32_t *by_birth = pf_findings_alloc(m->in->f, m->births * sizeof *by_birth);
    PF_TRY(by_birth ? PF_OK : pf_findings_status(m->in->f, err));
    for (uint32_t i = 0; i < m->buffer_count; i++) {
        if (m->buffers[i].there) {
            by_birth[m->buffers[i].born] = i + 1;
        }
    }
    for (uint64_t i = 0; i < m->births; i++) {
        if (by_birth[i]) {
            release(m, &m->buffers[by_birth[i] - 1], m->l->end);
        }
    }
    return PF_OK;
}

static pf_status fill(memory *m, pf_arena *arena, const uint32_t *rows, uint32_t count, pf_error *err)
{
    size_t changes = 0, uses = 0;
    for (uint32_t i = 0; i < count; i++) {
        tg_rows used = uses_of(m->in, run_at(m->in, rows[i]));
        changes += change_at(m->in, rows[i]) != PF_NONE;
        uses += used.end - used.first;
    }
    if (changes == 0) {
        return PF_OK;
    }
    m->changes = pf_findings_alloc(m->in->f, 2 * changes * sizeof *m->changes);
    m->users = pf_findings_alloc(m->in->f, uses * sizeof *m->users);
    PF_TRY(m->changes && m->users ? PF_OK : pf_findings_status(m->in->f, err));
    PF_TRY(PF_ARENA_NEW(arena, m->uses, uses, err));
    PF_TRY(PF_ARENA_NEW(arena, m->buffers, changes + uses, err));
    return walk(m, rows, count, err);
}

pf_status pf_tg_build_memory(tg_timeline *l, struct pf_budget *budget, const uint32_t *rows, uint32_t count,
                             tg_track *out, pf_error *err)
{
    memory m = {.l = l, .in = l->in, .peak_at = PF_NONE};
    pf_arena arena;
    pf_arena_init(&arena, budget);
    pf_map_init(&m.buffer_of, budget);
    pf_status st = fill(&m, &arena, rows, count, err);
    pf_map_free(&m.buffer_of);
    pf_arena_free(&arena);
    PF_TRY(st);
    pf_str device = pf_tg_string(l->in, out->device);
    out->name = pf_findings_format(l->in->f, "%.*s Memory", (int)device.len, device.ptr ? device.ptr : "");
    out->kind = TG_MEMORY;
    out->count = m.change_count;
    out->changes = m.changes;
    out->users = m.users;
    out->peak = m.peak;
    out->peak_at = m.peak_at;
    return PF_OK;
}
