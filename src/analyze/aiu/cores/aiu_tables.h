/* analyze/aiu/cores/aiu_tables.h - what the compiler expects of kernels: cycles that they would take with all cores in
 * use, and the category of their operation. */
#pragma once

#include "analyze/aiu/facts/aiu_facts.h"

typedef struct aiu_ideal {
    uint32_t name;     /* text: of the kernel's events, or "Total" */
    uint32_t category; /* text */
    double cycles;     /* 0: the compiler gives none */
} aiu_ideal;

/* A table of a log. */
typedef struct aiu_table {
    const char *phase, *said; /* "TTFT", "ITL", "UNKN"; that of the first one, where one is there twice */
    uint32_t log;             /* of aiu_tables, from 0 */
    bool autopilot;           /* its log has one table for a whole job */
    aiu_ideal *row;
    uint32_t count, room;
    double sum; /* us, all rows */
    pf_map *by_name;
    uint32_t *listed; /* texts: names of the first rows; for acelyzer those that came before, too */
    uint32_t listed_count, listed_room, lines;
    bool ended; /* acelyzer keeps no other */
} aiu_table;

/* A category's share of the kernels of a rank that a table is about. */
typedef struct aiu_share {
    uint32_t category; /* text */
    uint64_t calls;
    double time, ideal; /* us */
} aiu_share;

typedef struct aiu_use {
    uint32_t rank, table;
    aiu_share *share; /* Total first, then those that are always there, then the table's in their order */
    uint32_t count, room;
    uint64_t unknown;                        /* kernels that the table does not know */
    double busy_time, busy_ideal, idle_time; /* us: kernels with and without ideal cycles; not those of the autopilot */
} aiu_use;

/* A log, in order of rank. */
typedef struct aiu_log_file {
    pf_str path;
    bool autopilot;
    uint64_t unknown;       /* kernels that its tables do not know */
    uint32_t begun, unique; /* tables; and those that end and differ */
} aiu_log_file;

typedef struct aiu_tables {
    aiu_table *table;
    uint32_t count, room;
    aiu_log_file *log;
    uint32_t logs, log_room;
    uint32_t total;  /* the text "Total" */
    uint32_t kernel; /* for acelyzer: the row of that name, which is a kernel's there */
    aiu_use *use;    /* by rank and table, in order of appearance */
    uint32_t use_count, use_room;
    pf_map *use_of;
} aiu_tables;

/* aiu_compiler_log.c: adds a log and its tables; the table of an ideal_cycles.json. */
pf_status pf_aiu_add_log(aiu_run *run, aiu_tables *t, const char *path);
pf_status pf_aiu_read_log(aiu_run *run, aiu_tables *t, const char *path, pf_str text);
pf_status pf_aiu_read_ideal_cycles(aiu_run *run, aiu_tables *t, pf_str path, pf_str text);
/* Those of a folder that a compiler wrote, or that holds logs, which count as if they were named. */
bool pf_aiu_is_folder(const char *path);
void pf_aiu_read_log_folder(aiu_run *run, aiu_tables *t, const char *path);

/* Says that -c names no folder; acelyzer whatever the level of the log is, as it looks before it knows that. */
void pf_aiu_say_no_folder(aiu_run *run);

const aiu_ideal *pf_aiu_find_ideal(const aiu_table *t, uint32_t name); /* NULL: unknown */

/* aiu_table_choice.c: which table each kernel's job fits best; `choice`, by job, is the table, PF_NONE where acelyzer
 * finds none. Of how many that is uncertain, the log says. */
typedef struct aiu_kernel_list {
    uint32_t *event, *name, *job; /* name: as tables have it */
    uint32_t count, jobs;
} aiu_kernel_list;
void pf_aiu_choose_tables(aiu_run *run, const aiu_kernel_list *k, uint32_t *choice);

/* The log of a pid: its number where there are several. PF_NONE: it has none. */
uint32_t pf_aiu_log_of(const aiu_tables *t, int64_t pid);

/* Whether two tables have the same names and cycles in all. */
bool pf_aiu_is_same_table(const aiu_table *a, const aiu_table *b);

/* Percent as drawn: what is above 100 counts as too much, and is 101. */
static inline double pf_aiu_shown_percent(aiu_run *run, double use)
{
    double percent = 100 * use;
    run->overfull += percent > 100;
    return percent > 100 ? 101 : percent;
}

/* aiu_utilisation.c: the kernels. */
pf_status pf_aiu_list_kernels(aiu_run *run, aiu_kernel_list *k);

/* The shares of a rank and a table, NULL: the run failed; and what is added to one; `us`: ideal. */
aiu_use *pf_aiu_use_of(aiu_run *run, uint32_t rank, uint32_t table);
void pf_aiu_add_time(aiu_run *run, aiu_use *u, uint32_t category, double time, double us);

/* A kernel shows its category, as an argument where it has one of its own. */
void pf_aiu_show_category(aiu_run *run, uint32_t e, uint32_t category);

/* A line of the log: use of the cores by a rank in percent, while they are used and in all; us with and without. */
void pf_aiu_log_use(aiu_run *run, uint32_t rank, double busy, double all, double used, double unused);
void pf_aiu_log_unknown(aiu_run *run, uint64_t kernels, const char *in); /* in: " in LOG", or "" */

/* The steps. */
aiu_step pf_aiu_read_tables, pf_aiu_use_cores;
