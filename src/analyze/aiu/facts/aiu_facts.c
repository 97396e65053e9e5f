/* analyze/aiu/facts/aiu_facts.c - the store of events and what stages add to it: columns that grow, never copied. */
#include "analyze/aiu/facts/aiu_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/number.h"
#include "model/findings/findings.h"
#include "model/trace/trace.h"

void *pf_aiu_alloc(aiu_run *run, size_t count, size_t size)
{
    return pf_aiu_failed(run) ? NULL : pf_pass_alloc(run->ctx, count, size, &run->error);
}

void *pf_aiu_scratch(aiu_run *run, size_t count, size_t size)
{
    size_t bytes = count * size + 1;
    void *p = pf_aiu_failed(run) ? NULL : pf_arena_alloc(&run->scratch, bytes);
    if (!p && !pf_aiu_failed(run)) {
        pf_budget_refused(run->budget, bytes, &run->error);
    }
    return p ? memset(p, 0, bytes) : NULL;
}

struct aiu_map {
    pf_map map;
    struct aiu_map *next;
};

static pf_map *new_map(aiu_run *run, struct aiu_map **list, struct aiu_map *m)
{
    if (!m) {
        return &run->refused_map;
    }
    pf_map_init(&m->map, run->budget);
    m->next = *list;
    *list = m;
    return &m->map;
}

static void free_maps(struct aiu_map **list)
{
    for (; *list; *list = (*list)->next) {
        pf_map_free(&(*list)->map);
    }
}

pf_map *pf_aiu_kept_map(aiu_run *run)
{
    return new_map(run, &run->maps, pf_aiu_alloc(run, 1, sizeof(struct aiu_map)));
}

pf_map *pf_aiu_scratch_map(aiu_run *run)
{
    return new_map(run, &run->scratch_maps, pf_aiu_scratch(run, 1, sizeof(struct aiu_map)));
}

void pf_aiu_end_stage(aiu_run *run)
{
    free_maps(&run->scratch_maps);
    pf_arena_reset(&run->scratch);
}

pf_status pf_aiu_grow(aiu_run *run, void **list, uint32_t *room, uint32_t count, size_t size)
{
    uint32_t before = *room;
    if (count > before && !pf_aiu_failed(run)) {
        PF_TRY(pf_arena_grow(run->ctx->arena, list, size, count, room, &run->error));
        memset((char *)*list + before * size, 0, (*room - before) * size);
    }
    return run->error.code;
}

pf_status pf_aiu_map(aiu_run *run, pf_map *map, uint64_t key, uint32_t value)
{
    if (!pf_aiu_failed(run) && !pf_map_set(map, key, value)) {
        pf_budget_refused(run->budget, map->count * sizeof *map->slots, &run->error);
    }
    return run->error.code;
}

uint32_t pf_aiu_number(aiu_run *run, pf_map *map, uint64_t key)
{
    uint32_t number = pf_map_get(map, key);
    if (number == PF_NONE) {
        number = (uint32_t)map->count;
        pf_aiu_map(run, map, key, number);
    }
    return number;
}

uint32_t pf_aiu_pair(aiu_run *run, aiu_pairs *p, uint64_t a, uint64_t b)
{
    uint64_t first = pf_aiu_number(run, p->values, a);
    return pf_aiu_number(run, p->pairs, first << 32 | pf_aiu_number(run, p->values, b));
}

uint32_t pf_aiu_known_pair(const aiu_pairs *p, uint64_t a, uint64_t b)
{
    uint64_t first = pf_map_get(p->values, a);
    return pf_map_get(p->pairs, first << 32 | pf_map_get(p->values, b));
}

static void add_columns(aiu_run *run, pf_columns *c, const char *table, const pf_column_place *list, size_t count)
{
    pf_columns_init(c, run->budget, table);
    for (size_t i = 0; i < count && !pf_aiu_failed(run); i++) {
        pf_columns_add(c, list[i].base, list[i].size, &run->error);
    }
}

#define COLUMN(p)                                                                                                      \
    {                                                                                                                  \
        (void **)&(p), sizeof *(p)                                                                                     \
    }
#define COUNT(a) (sizeof(a) / sizeof *(a))

static void add_tables(aiu_run *run)
{
    aiu_events *e = &run->events;
    aiu_samples *s = &run->samples;
    aiu_arrows *a = &run->arrows;
    const pf_column_place events[] = {
        COLUMN(e->row),    COLUMN(e->phase),     COLUMN(e->class),         COLUMN(e->flags),      COLUMN(e->job),
        COLUMN(e->name),   COLUMN(e->cat),       COLUMN(e->extra),         COLUMN(e->ts),         COLUMN(e->dur),
        COLUMN(e->pid),    COLUMN(e->tid),       COLUMN(e->tsx[0]),        COLUMN(e->tsx[1]),     COLUMN(e->tsx[2]),
        COLUMN(e->tsx[3]), COLUMN(e->tsx[4]),    COLUMN(e->ovc),           COLUMN(e->power),      COLUMN(e->bytes),
        COLUMN(e->anchor), COLUMN(e->adjust_ts), COLUMN(e->anchor_device), COLUMN(e->adjust_dur), COLUMN(e->rank),
        COLUMN(e->group),  COLUMN(e->peer),      COLUMN(e->peers),         COLUMN(e->type),       COLUMN(run->order)};
    const pf_column_place samples[] = {COLUMN(s->ts), COLUMN(s->value), COLUMN(s->pid), COLUMN(s->series),
                                       COLUMN(s->label)};
    const pf_column_place arrows[] = {COLUMN(a->phase), COLUMN(a->ts),   COLUMN(a->pid), COLUMN(a->tid),
                                      COLUMN(a->id),    COLUMN(a->name), COLUMN(a->cat)};
    const pf_column_place extras[] = {COLUMN(run->extras.list)};
    add_columns(run, &e->columns, "aiu event", events, COUNT(events));
    add_columns(run, &s->columns, "aiu sample", samples, COUNT(samples));
    add_columns(run, &a->columns, "aiu arrow", arrows, COUNT(arrows));
    add_columns(run, &run->extras.columns, "aiu argument", extras, COUNT(extras));
}

pf_status pf_aiu_run_init(aiu_run *run, const pf_pass_context *ctx, pf_findings *f)
{
    *run = (aiu_run){.ctx = ctx,
                     .trace = ctx->trace,
                     .findings = f,
                     .budget = pf_findings_budget(f),
                     .error = {.offset = PF_NOWHERE, .packet = PF_NOWHERE}};
    pf_arena_init(&run->scratch, run->budget);
    pf_map_init(&run->refused_map, run->budget);
    run->pool = pf_aiu_kept_map(run);
    run->async_ids = pf_aiu_kept_map(run);
    run->counters.by_row = pf_aiu_kept_map(run);
    run->ranks.by_pid = pf_aiu_kept_map(run);
    add_tables(run);
    PF_TRY(run->error.code);
    PF_TRY(pf_strings_init(&run->texts, run->budget, &run->error));
    return PF_COLUMNS_ADD(&run->texts.columns, run->names, &run->error);
}

void pf_aiu_run_free(aiu_run *run)
{
    pf_columns *const columns[] = {&run->events.columns, &run->samples.columns, &run->arrows.columns,
                                   &run->extras.columns};
    for (size_t i = 0; i < COUNT(columns); i++) {
        pf_columns_free(columns[i]);
    }
    free_maps(&run->maps);
    free_maps(&run->scratch_maps);
    pf_map_free(&run->refused_map);
    pf_strings_free(&run->texts);
    pf_arena_free(&run->scratch);
}

uint32_t pf_aiu_text(aiu_run *run, pf_str text)
{
    uint32_t id =
        pf_aiu_failed(run) ? PF_NONE : pf_strings_add(&run->texts, text.ptr ? text.ptr : "", text.len, &run->error);
    return id == PF_NONE ? 0 : id;
}

pf_str pf_aiu_text_of(const aiu_run *run, uint32_t id)
{
    return pf_strings_get(&run->texts, id);
}

uint32_t pf_aiu_pool_text(aiu_run *run, uint32_t trace_string)
{
    pf_str text = pf_trace_string(run->trace, trace_string);
    if (!text.ptr) {
        return 0;
    }
    uint32_t id = pf_map_get(run->pool, trace_string);
    if (id == PF_NONE) {
        id = pf_aiu_text(run, text);
        pf_aiu_map(run, run->pool, trace_string, id);
    }
    return id;
}

pf_str pf_aiu_pid_text(aiu_run *run, int64_t id)
{
    return id == AIU_ID_NONE            ? PF_STR("None")
           : id & AIU_ID_TEXT && id > 0 ? pf_aiu_text_of(run, (uint32_t)id)
                                        : pf_findings_format(run->findings, "%lld", (long long)id);
}

const char *pf_aiu_rank_name(aiu_run *run, uint32_t rank)
{
    pf_str name = pf_findings_keep(run->findings, pf_aiu_pid_text(run, run->ranks.pid[rank]));
    return name.ptr ? name.ptr : "";
}

uint32_t pf_aiu_buffer_text(aiu_run *run, pf_buffer *b)
{
    uint32_t text = b->failed ? 0 : pf_aiu_text(run, (pf_str){b->data, b->len});
    if (b->failed && !pf_aiu_failed(run)) {
        pf_no_memory(&run->error);
    }
    pf_buffer_free(b);
    return text;
}

void pf_aiu_compact(aiu_run *run)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        run->order[kept] = run->order[i];
        kept += !(run->events.flags[run->order[i]] & AIU_DROPPED);
    }
    run->alive = kept;
}

/* Makes room in a table for one row more; false: the run failed. */
static bool one_more(aiu_run *run, pf_columns *c, uint32_t count, uint32_t *room)
{
    return !pf_aiu_failed(run) &&
           (count < *room || pf_columns_grow(c, (uint64_t)count + 1, room, &run->error) == PF_OK);
}

pf_status pf_aiu_expect_events(aiu_run *run, uint32_t count)
{
    aiu_events *e = &run->events;
    return pf_aiu_failed(run) ? run->error.code
                              : pf_columns_room(&e->columns, (uint64_t)e->count + count, &e->room, &run->error);
}

void pf_aiu_drop_cycles(aiu_run *run)
{
    aiu_events *e = &run->events;
    const pf_column_place list[] = {COLUMN(e->tsx[0]),    COLUMN(e->tsx[1]),    COLUMN(e->tsx[2]),
                                    COLUMN(e->tsx[3]),    COLUMN(e->tsx[4]),    COLUMN(e->ovc),
                                    COLUMN(e->power),     COLUMN(e->anchor),    COLUMN(e->anchor_device),
                                    COLUMN(e->adjust_ts), COLUMN(e->adjust_dur)};
    for (size_t i = 0; i < COUNT(list); i++) {
        pf_columns_drop(&e->columns, list[i].base);
    }
}

uint32_t pf_aiu_rank(aiu_run *run, int64_t pid)
{
    aiu_ranks *r = &run->ranks;
    uint32_t known = pf_map_get(r->by_pid, (uint64_t)pid);
    if (known != PF_NONE) {
        return known;
    }
    if (AIU_ROOM(run, r->pid, r->count + 1, r->room) != PF_OK ||
        pf_aiu_map(run, r->by_pid, (uint64_t)pid, r->count) != PF_OK) {
        return PF_NONE;
    }
    r->pid[r->count] = pid;
    return r->count++;
}

uint32_t pf_aiu_add_event(aiu_run *run, uint8_t phase)
{
    aiu_events *e = &run->events;
    uint32_t row = e->count;
    if (!one_more(run, &e->columns, row, &e->room)) {
        return PF_NONE;
    }
    run->order[run->alive++] = row;
    e->count++;
    e->phase[row] = phase;
    e->row[row] = e->extra[row] = PF_NONE;
    e->tid[row] = AIU_ID_NONE;
    return row;
}

uint32_t pf_aiu_add_event_like(aiu_run *run, uint8_t phase, uint32_t like)
{
    aiu_events *e = &run->events;
    uint32_t row = pf_aiu_add_event(run, phase);
    if (row != PF_NONE) {
        uint32_t place = run->order[row]; /* a column too, but of places */
        pf_columns_move(&e->columns, row, like);
        run->order[row] = place;
        e->phase[row] = phase;
        e->extra[row] = PF_NONE;
    }
    return row;
}

pf_status pf_aiu_add_sample(aiu_run *run, aiu_series series, int64_t pid, double ts, double value, uint32_t label)
{
    aiu_samples *s = &run->samples;
    if (one_more(run, &s->columns, s->count, &s->room)) {
        uint32_t i = s->count++;
        s->series[i] = (uint8_t)series;
        s->pid[i] = pid;
        s->ts[i] = ts;
        s->value[i] = value;
        s->label[i] = label;
    }
    return run->error.code;
}

void pf_aiu_add_plateau(aiu_run *run, aiu_series series, int64_t pid, double from, double to, double value)
{
    pf_aiu_add_sample(run, series, pid, from, value, 0);
    pf_aiu_add_sample(run, series, pid, to, 0, 0);
}

pf_status pf_aiu_add_arrow(aiu_run *run, uint8_t phase, double ts, int64_t pid, int64_t tid, int64_t id, uint32_t name,
                           uint32_t cat)
{
    aiu_arrows *a = &run->arrows;
    if (one_more(run, &a->columns, a->count, &a->room)) {
        uint32_t i = a->count++;
        a->phase[i] = phase;
        a->ts[i] = ts;
        a->pid[i] = pid;
        a->tid[i] = tid;
        a->id[i] = id;
        a->name[i] = name;
        a->cat[i] = cat;
    }
    return run->error.code;
}

const aiu_extra *pf_aiu_find_extra(const aiu_run *run, uint32_t event, pf_str key)
{
    for (uint32_t i = run->events.extra[event]; i != PF_NONE; i = run->extras.list[i].next) {
        if (pf_str_equal(pf_aiu_text_of(run, run->extras.list[i].key), key)) {
            return &run->extras.list[i];
        }
    }
    return NULL;
}

pf_status pf_aiu_add_extra(aiu_run *run, uint32_t event, pf_str key, aiu_extra value)
{
    aiu_extras *x = &run->extras;
    uint32_t *head = &run->events.extra[event], at = *head;
    value.key = pf_aiu_text(run, key);
    while (at != PF_NONE && x->list[at].key != value.key) {
        at = x->list[at].next;
    }
    if (at != PF_NONE) {
        value.next = x->list[at].next;
        x->list[at] = value;
    } else if (one_more(run, &x->columns, x->count, &x->room)) {
        value.next = *head;
        x->list[x->count] = value;
        *head = x->count++;
    }
    return run->error.code;
}

pf_status pf_aiu_add_int(aiu_run *run, uint32_t event, pf_str key, int64_t v)
{
    return pf_aiu_add_extra(run, event, key, (aiu_extra){.type = AIU_EXTRA_INT, .as.i = v});
}

pf_status pf_aiu_add_real(aiu_run *run, uint32_t event, pf_str key, double v)
{
    return pf_aiu_add_extra(run, event, key, (aiu_extra){.type = AIU_EXTRA_REAL, .as.d = v});
}

pf_status pf_aiu_add_text(aiu_run *run, uint32_t event, pf_str key, pf_str v)
{
    return pf_aiu_add_extra(run, event, key, (aiu_extra){.type = AIU_EXTRA_TEXT, .as.text = pf_aiu_text(run, v)});
}

/* Of ranks: hosts, whose pids are 1000 higher, are theirs, and what is no number is none. */
static void add_pids(aiu_run *run, bool of_ranks, const int64_t *pid, uint32_t count, pf_map *pids)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!of_ranks || pf_aiu_is_number(pid[i])) {
            int64_t host = of_ranks && pid[i] >= AIU_HOST_PIDS ? AIU_HOST_PIDS : 0;
            pf_aiu_number(run, pids, (uint64_t)(pid[i] - host));
        }
    }
}

void pf_aiu_pids(aiu_run *run, bool of_ranks, pf_map *pids)
{
    add_pids(run, of_ranks, run->samples.pid, run->samples.count, pids);
    add_pids(run, of_ranks, run->arrows.pid, run->arrows.count, pids);
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        bool counts = !of_ranks || !(run->events.flags[e] & AIU_DROPPED);
        add_pids(run, of_ranks, &run->events.pid[e], counts, pids);
    }
}

const aiu_series_facts *pf_aiu_series(aiu_series s)
{
    static const aiu_series_facts facts[AIU_SERIES] = {
        [AIU_SERIES_PREPS] = {"ConcurrentPreps", "Pending Prep Events", "Concurrency", "kernels", true,
                              "queued kernels", "Kernels that wait: slices Cmpt Prep that have begun and not ended."},
        [AIU_SERIES_POWER4] = {"Power", "Power4", "Watts", "W", false, "power",
                               "Mean power between the ends of two device operations (TS4): 12 V * charge / 512 / "
                               "time. 0 where it cannot be reported."},
        [AIU_SERIES_POWER3] = {"Power ", "Power3", "Watts", "charge/cycle", false, "charge",
                               "Charge per cycle between the starts of two device operations (TS3), by type."},
        [AIU_SERIES_PT_ACTIVE] = {"PT Active", "", "Percent", "%", false, "matrix units active",
                                  "Use of the matrix units by the kernel that runs: its ideal time from the "
                                  "compiler's log / its time; 101 is more than all of it."},
        [AIU_SERIES_TRANSFER_BW] = {"TransferBW", "", "GB/s", "GB/s", false, "transfer bandwidth",
                                    "Bandwidth of a transfer between host and device, as the trace says it."},
        [AIU_SERIES_COLL_BW] = {"Coll_Bandwidth", "", "GBps", "GB/s", false, "collective bandwidth",
                                "Bytes between ranks of a collective (2 * (ranks - 1) * payload) / its time."},
        [AIU_SERIES_BW_ALLREDUCE] = {"BW allreduce", "", "Unit GBps", "GB/s", false, NULL, NULL},
        [AIU_SERIES_BW_PCIE] = {"BW all-pcie", "", "Unit GBps", "GB/s", false, NULL, NULL},
        [AIU_SERIES_CHARGE] = {"Power", "", "Watts", "", false, NULL, NULL},
    };
    return &facts[s];
}

const char *pf_aiu_class_name(aiu_class c)
{
#define NAME(item, name) name,
    static const char *const names[AIU_CLASSES] = {AIU_CLASS_LIST(NAME)};
    return names[c];
}

static void log_text(aiu_run *run, const char *level, pf_str text)
{
    aiu_log *log = &run->log;
    if (AIU_ROOM(run, log->line, log->count + 1, log->room) == PF_OK) {
        log->line[log->count++] = (aiu_log_line){level, text};
    }
}

void pf_aiu_log_buffer(aiu_run *run, pf_buffer *b)
{
    log_text(run, "INFO", pf_pass_keep_buffer(run->findings, b));
}

pf_status pf_aiu_log(aiu_run *run, const char *level, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    int len = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    size_t kept = len < 0 ? 0 : (size_t)len < sizeof text ? (size_t)len : sizeof text - 1;
    log_text(run, level, pf_findings_keep(run->findings, (pf_str){text, kept}));
    return run->error.code;
}

void pf_aiu_warn(aiu_run *run, const char *before, uint64_t n, const char *after)
{
    if (n) {
        pf_aiu_log(run, "WARNING", "%s%" PRIu64 "%s", before, n, after);
    }
}

pf_str pf_aiu_real(aiu_run *run, double v)
{
    char digits[PF_NUMBER_MAX];
    size_t len = pf_format_real(v, digits);
    return pf_findings_keep(run->findings, (pf_str){digits, len});
}

const char *pf_aiu_num(aiu_run *run, double v)
{
    pf_str kept = pf_aiu_real(run, v);
    return kept.ptr ? kept.ptr : "";
}

double pf_aiu_round(double v, int decimals)
{
    char digits[PF_FIXED_MAX];
    double rounded;
    size_t len = isfinite(v) ? pf_format_real_fixed(v, decimals, digits) : 0;
    return len && pf_parse_real(digits, len, &rounded) ? rounded : v;
}

const char *pf_aiu_rounded(aiu_run *run, double v, int decimals)
{
    return pf_aiu_num(run, pf_aiu_round(v, decimals));
}
