/* analyze/aiu/enriched/aiu_rank_tables.c - the report tables about several ranks, and what the terminal shows of them.
 */
#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/aiu/enriched/aiu_meetings.h"
#include "analyze/aiu/tables/aiu_report_tables.h"

enum { TABLE_COLLECTIVES, TABLE_ARRIVALS, TABLE_OVERLAP, TABLE_CLOCKS };

static const pf_column collectives[] = {
    {"collective", PF_CELL_INT, 0, ""},
    {"name", PF_CELL_TEXT, 0, ""},
    {"ranks", PF_CELL_INT, 0, ""},
    {"bytes", PF_CELL_INT, 0, "bytes"},
    {"moved_bytes", PF_CELL_INT, 0, "bytes"},
    {"start_ns", PF_CELL_INT, 0, "ns"},
    {"end_ns", PF_CELL_INT, 0, "ns"},
    {"span_ns", PF_CELL_INT, 0, "ns"},
    {"gb_per_s", PF_CELL_REAL, 3, "GB/s"},
    {"straggler", PF_CELL_INT, 0, ""},
    {"late_ns", PF_CELL_INT, 0, "ns"},
    {"lost_ns", PF_CELL_INT, 0, "ns"},
};
static const pf_column arrivals[] = {
    {"collective", PF_CELL_INT, 0, ""},   {"rank", PF_CELL_INT, 0, ""},       {"kernel", PF_CELL_TEXT, 0, ""},
    {"arrival_ns", PF_CELL_INT, 0, "ns"}, {"leave_ns", PF_CELL_INT, 0, "ns"}, {"waited_ns", PF_CELL_INT, 0, "ns"},
};
static const pf_column overlap[] = {
    {"rank", PF_CELL_INT, 0, ""},
    {"kernels_ns", PF_CELL_INT, 0, "ns"},
    {"communication_ns", PF_CELL_INT, 0, "ns"},
    {"overlap_ns", PF_CELL_INT, 0, "ns"},
    {"exposed_ns", PF_CELL_INT, 0, "ns"},
    {"overlap_percent", PF_CELL_REAL, 2, "%"},
};
static const pf_column clocks[] = {
    {"rank", PF_CELL_INT, 0, ""},
    {"shift_us", PF_CELL_REAL, 3, "us"},
    {"rate", PF_CELL_REAL, 9, ""},
    {"collectives", PF_CELL_INT, 0, ""},
    {"offset_left_ns", PF_CELL_INT, 0, "ns"},
    {"worst_offset_ns", PF_CELL_INT, 0, "ns"},
    {"drift_ppm", PF_CELL_REAL, 3, "ppm"},
};
#define TABLE(columns) columns, sizeof columns / sizeof *columns

const pf_pass_table pf_aiu_rank_tables[AIU_RANK_TABLES + AIU_OWN_TABLE_COUNT] = {
    [TABLE_COLLECTIVES] = {"aiu_collectives", "a collective of several ranks, and who came to it last",
                           TABLE(collectives)},
    [TABLE_ARRIVALS] = {"aiu_arrivals", "a rank in a collective: when it came, how long it waited", TABLE(arrivals)},
    [TABLE_OVERLAP] = {"aiu_overlap", "a rank: communication, and how much of it kernels hide", TABLE(overlap)},
    [TABLE_CLOCKS] = {"aiu_clocks", "a rank: how its clock was moved, and what is left", TABLE(clocks)},
    AIU_OWN_TABLES,
};

static pf_cell whole(int64_t v)
{
    return (pf_cell){.as.i = v};
}

static pf_cell real(double v)
{
    return (pf_cell){.as.d = v};
}

static pf_cell text(pf_str s)
{
    return (pf_cell){.null = !s.ptr, .as.s = s};
}

/* What clocks of ranks have to be near each other for. */
static pf_cell told(const aiu_meeting *m, int64_t v)
{
    return (pf_cell){.null = !m->late_told, .as.i = v};
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void report_collectives(aiu_run *run, const aiu_meetings *m)
{
    pf_table_builder *t = pf_aiu_table_new(run, &pf_aiu_rank_tables[TABLE_COLLECTIVES]);
    for (uint32_t i = 0; i < m->count; i++) {
        const aiu_meeting *c = &m->list[i];
        const pf_cell row[] = {whole(i),
                               text(pf_aiu_meeting_name(run, c)),
                               whole(c->ranks),
                               whole((int64_t)c->bytes),
                               whole((int64_t)c->moved),
                               whole(c->start),
                               whole(c->end),
                               whole(c->end - c->start),
                               {.null = !c->rate_told, .as.d = pf_aiu_meeting_rate(c)},
                               told(c, run->exchange->members.list[c->straggler].pid),
                               told(c, c->last - c->before),
                               told(c, c->lost)};
        pf_table_row(run->findings, t, row);
    }
}

static void report_arrivals(aiu_run *run, const aiu_meetings *m)
{
    pf_table_builder *t = pf_aiu_table_new(run, &pf_aiu_rank_tables[TABLE_ARRIVALS]);
    for (uint32_t i = 0; i < m->count; i++) {
        for (uint32_t k = 0; k < m->list[i].ranks; k++) {
            const aiu_member *own = &run->exchange->members.list[m->list[i].first + k];
            int64_t arrival = pf_aiu_arrival(run, own);
            pf_str kernel = {NULL, 0};
            if (own->kernel != PF_NONE) {
                kernel = pf_aiu_text_of(run, run->events.name[own->kernel]);
            }
            const pf_cell row[] = {whole(i),
                                   whole(own->pid),
                                   text(kernel),
                                   whole(arrival),
                                   whole(pf_aiu_leave(run, own)),
                                   told(&m->list[i], m->list[i].last - arrival)};
            pf_table_row(run->findings, t, row);
        }
    }
}

static double percent(uint64_t part, uint64_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0;
}

static void report_overlap(aiu_run *run, const aiu_hiddens *s)
{
    pf_table_builder *t = pf_aiu_table_new(run, &pf_aiu_rank_tables[TABLE_OVERLAP]);
    for (uint32_t i = 0; i < s->count; i++) {
        const aiu_hidden *r = &s->list[i];
        const pf_cell row[] = {whole(r->pid),
                               whole((int64_t)r->kernels),
                               whole((int64_t)r->communication),
                               whole((int64_t)r->both),
                               whole((int64_t)(r->communication - r->both)),
                               real(percent(r->both, r->communication))};
        pf_table_row(run->findings, t, row);
    }
}

static void report_clocks(aiu_run *run, const aiu_clocks *c)
{
    pf_table_builder *t = pf_aiu_table_new(run, &pf_aiu_rank_tables[TABLE_CLOCKS]);
    for (uint32_t i = 0; i < c->count; i++) {
        const aiu_clock *r = &c->list[i];
        const pf_cell row[] = {whole(r->pid),
                               {.null = !r->matched, .as.d = r->shift_us},
                               {.null = !r->matched, .as.d = r->rate},
                               whole(r->collectives),
                               whole(r->left),
                               whole(r->worst),
                               real(r->drift)};
        pf_table_row(run->findings, t, row);
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void show_collectives(aiu_run *run, const aiu_meetings *m)
{
    int64_t lost = 0, apart = 0;
    uint32_t untold = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const aiu_meeting *c = &m->list[i];
        lost += c->late_told ? c->lost : 0;
        untold += !c->late_told;
        apart = !c->late_told && c->apart > apart ? c->apart : apart;
    }
    if (m->count > untold) {
        pf_findings_show_line(run->findings, PF_INFO, "%u collectives; ranks waited %lld us for the last one to come",
                              m->count - untold, (long long)(lost / 1000));
    }
    if (untold) {
        pf_findings_show_line(run->findings, PF_INFO,
                              "%u collectives of which it is not told who came last: clocks of ranks are up to %lld ns "
                              "apart, the last one came less than twice as long after the others%s",
                              untold, (long long)apart,
                              run->set.sync_v2 || run->by_rate ? ""
                                                               : "; -S, -M and --align say how clocks are matched");
    }
}

static void show_overlap(aiu_run *run, const aiu_hiddens *s)
{
    uint64_t communication = 0, both = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        communication += s->list[i].communication;
        both += s->list[i].both;
    }
    if (communication) {
        pf_findings_show_line(run->findings, PF_INFO, "kernels hide %llu of %llu us of communication",
                              (unsigned long long)(both / 1000), (unsigned long long)(communication / 1000));
    }
}

static void show_clocks(aiu_run *run, const aiu_clocks *c)
{
    int64_t worst = 0, rank = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        int64_t left = c->list[i].left < 0 ? -c->list[i].left : c->list[i].left;
        rank = left > worst ? c->list[i].pid : rank;
        worst = left > worst ? left : worst;
    }
    if (c->count > 1) {
        pf_findings_show_line(run->findings, PF_INFO, "clocks of ranks: %lld ns are left at most, on rank %lld",
                              (long long)worst, (long long)rank);
    }
}

pf_status pf_aiu_report_ranks(aiu_run *run, pf_error *err)
{
    aiu_meetings meetings;
    aiu_hiddens shares;
    aiu_clocks found;
    pf_status st = pf_aiu_meetings_read(run, &meetings, err);
    st = st == PF_OK ? pf_aiu_shares_read(run, &shares, err) : st;
    st = st == PF_OK ? pf_aiu_clocks_read(run, &meetings, &found, err) : st;
    if (st == PF_OK) {
        report_collectives(run, &meetings);
        report_arrivals(run, &meetings);
        report_overlap(run, &shares);
        report_clocks(run, &found);
        show_collectives(run, &meetings);
        show_overlap(run, &shares);
        show_clocks(run, &found);
    }
    return st;
}
