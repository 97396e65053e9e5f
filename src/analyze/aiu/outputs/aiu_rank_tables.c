/* analyze/aiu/outputs/aiu_rank_tables.c - the report tables about several ranks, and what the terminal shows of them.
 */
#include "analyze/aiu/enriched/aiu_measures.h"
#include "analyze/aiu/outputs/aiu_report_tables.h"

/* What clocks of ranks have to be near each other for. */
static pf_cell if_known(const aiu_collective_cost *m, int64_t v)
{
    return (pf_cell){.null = !m->late_known, .as.i = v};
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void report_collectives(aiu_run *run, const aiu_collective_costs *m)
{
    pf_table_builder *t = pf_aiu_table_new(run, AIU_TABLE_COLLECTIVES);
    for (uint32_t i = 0; i < m->count; i++) {
        const aiu_collective_cost *c = &m->list[i];
        const pf_cell row[] = {pf_cell_int(i),
                               pf_cell_text(pf_aiu_collective_name(run, c)),
                               pf_cell_int(c->ranks),
                               pf_cell_int((int64_t)c->bytes),
                               pf_cell_int((int64_t)c->moved),
                               pf_cell_int(c->start),
                               pf_cell_int(c->end),
                               pf_cell_int(c->end - c->start),
                               {.null = !c->rate_known, .as.d = pf_aiu_collective_rate(c)},
                               if_known(c, run->exchange->members.list[c->straggler].pid),
                               if_known(c, c->last - c->before),
                               if_known(c, c->lost)};
        pf_table_row(run->findings, t, row);
    }
}

static void report_arrivals(aiu_run *run, const aiu_collective_costs *m)
{
    pf_table_builder *t = pf_aiu_table_new(run, AIU_TABLE_ARRIVALS);
    for (uint32_t i = 0; i < m->count; i++) {
        for (uint32_t k = 0; k < m->list[i].ranks; k++) {
            const aiu_member *own = &run->exchange->members.list[m->list[i].first + k];
            int64_t arrival = pf_aiu_arrival(run, own);
            bool any = own->kernel != PF_NONE;
            pf_str kernel = any ? pf_aiu_text_of(run, run->events.name[own->kernel]) : (pf_str){NULL, 0};
            const pf_cell row[] = {pf_cell_int(i),
                                   pf_cell_int(own->pid),
                                   pf_cell_text(kernel),
                                   pf_cell_int(arrival),
                                   pf_cell_int(pf_aiu_leave(run, own)),
                                   if_known(&m->list[i], m->list[i].last - arrival)};
            pf_table_row(run->findings, t, row);
        }
    }
}

static double percent(uint64_t part, uint64_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0;
}

static void report_overlap(aiu_run *run, const aiu_comm_overlaps *s)
{
    pf_table_builder *t = pf_aiu_table_new(run, AIU_TABLE_OVERLAP);
    for (uint32_t i = 0; i < s->count; i++) {
        const aiu_comm_overlap *r = &s->list[i];
        const pf_cell row[] = {pf_cell_int(r->pid),
                               pf_cell_int((int64_t)r->kernels),
                               pf_cell_int((int64_t)r->communication),
                               pf_cell_int((int64_t)r->both),
                               pf_cell_int((int64_t)(r->communication - r->both)),
                               pf_cell_real(percent(r->both, r->communication))};
        pf_table_row(run->findings, t, row);
    }
}

static void report_clocks(aiu_run *run, const aiu_clock_offsets *c)
{
    pf_table_builder *t = pf_aiu_table_new(run, AIU_TABLE_CLOCKS);
    for (uint32_t i = 0; i < c->count; i++) {
        const aiu_clock_offset *r = &c->list[i];
        const pf_cell row[] = {pf_cell_int(r->pid),
                               {.null = !r->matched, .as.d = r->shift_us},
                               {.null = !r->matched, .as.d = r->rate},
                               pf_cell_int(r->collectives),
                               pf_cell_int(r->left),
                               pf_cell_int(r->worst),
                               pf_cell_real(r->drift)};
        pf_table_row(run->findings, t, row);
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void show_collectives(aiu_run *run, const aiu_collective_costs *m)
{
    int64_t lost = 0, apart = 0;
    uint32_t untold = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const aiu_collective_cost *c = &m->list[i];
        lost += c->late_known ? c->lost : 0;
        untold += !c->late_known;
        apart = !c->late_known && c->apart > apart ? c->apart : apart;
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

static void show_overlap(aiu_run *run, const aiu_comm_overlaps *s)
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

static void show_clocks(aiu_run *run, const aiu_clock_offsets *c)
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

pf_status pf_aiu_report_ranks(aiu_run *run)
{
    aiu_collective_costs costs;
    aiu_comm_overlaps overlaps;
    aiu_clock_offsets offsets;
    pf_aiu_collective_costs_read(run, &costs);
    pf_aiu_comm_overlaps_read(run, &overlaps);
    pf_aiu_clock_offsets_read(run, &costs, &offsets);
    report_collectives(run, &costs);
    report_arrivals(run, &costs);
    report_overlap(run, &overlaps);
    report_clocks(run, &offsets);
    show_collectives(run, &costs);
    show_overlap(run, &overlaps);
    show_clocks(run, &offsets);
    return run->error.code;
}
