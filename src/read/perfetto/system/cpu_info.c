/* read/perfetto/system/cpu_info.c - what CPUs there are: name, capacity, frequencies, model and features.
 *
 * A CPU's place in the packet is its number. CPUs of equal capacity form a cluster; clusters are numbered by capacity.
 * Where a CPU has none, the highest frequency stands for it, of all of them; where a CPU has neither, there is one
 * cluster.
 */
#include "base/list.h"
#include "base/str.h"
#include "read/perfetto/system/system.h"

enum { CPU_LIST = 1 };
enum { PROCESSOR = 1, FREQUENCY = 2, CAPACITY = 3, IDENTIFIER = 4, FEATURES = 5 };

typedef struct cpu {
    pf_cursor fields;
    uint32_t row, number;
    uint32_t capacity, fastest; /* 0: it has none */
    uint32_t rank;              /* what clusters go by */
} cpu;

/* Numbers of the model, and features by bit. */
static const char *const IDENTIFIERS[] = {"arm_cpu_implementer", "arm_cpu_architecture", "arm_cpu_variant",
                                          "arm_cpu_part", "arm_cpu_revision"};
static const char *const FEATURE_NAMES[] = {"cpu_features.mte", "cpu_features.mte3"};

static void add_arg(pf_import *im, uint32_t row, const char *key, pf_value_type type, uint64_t number)
{
    pf_import_arg(im, PF_OWNER_CPU, row, pf_str_of(key), (pf_value){.type = type, .as.u = number});
}

static void add_args(pf_import *im, const pf_packet *p, const cpu *c)
{
    const pf_field identifier = pf_cursor_last(c->fields, PF_TAG_BYTES(IDENTIFIER));
    const pf_field features = pf_cursor_last(c->fields, PF_TAG_VARINT(FEATURES));
    for (uint32_t i = 0; identifier.tag && i < PF_TAG_COUNT(IDENTIFIERS); i++) {
        uint64_t number = pf_cursor_last(pf_field_cursor(&identifier), PF_TAG_VARINT(1 + i)).value;
        add_arg(im, c->row, IDENTIFIERS[i], PF_VALUE_UINT, number);
    }
    for (size_t i = 0; i < PF_TAG_COUNT(FEATURE_NAMES); i++) {
        if (features.value >> i & 1) {
            add_arg(im, c->row, FEATURE_NAMES[i], PF_VALUE_INT, 1);
        }
    }
    if (features.tag) {
        add_arg(im, c->row, "cpu_features.raw_bitmap", PF_VALUE_UINT, features.value);
    }
    if (features.value >> PF_TAG_COUNT(FEATURE_NAMES)) {
        pf_import_count(im, p->r, PF_STAT_CPU_FEATURES_UNKNOWN);
    }
}

static cpu read_cpu(pf_import *im, const pf_field *f, uint32_t number)
{
    cpu c = {.fields = pf_field_cursor(f), .number = number, .row = pf_system_cpu(im, number)};
    pf_numbers l = pf_numbers_of(c.fields, FREQUENCY, false);
    c.capacity = (uint32_t)pf_cursor_last(c.fields, PF_TAG_VARINT(CAPACITY)).value;
    for (uint64_t frequency; pf_numbers_next(&l, &frequency);) {
        c.fastest = (uint32_t)frequency > c.fastest ? (uint32_t)frequency : c.fastest;
    }
    return c;
}

/* The CPUs by rank, stable: there are few, and mostly they are in order. */
static void sort_by_rank(cpu *list, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const cpu c = list[i];
        uint32_t at = i;
        for (; at > 0 && list[at - 1].rank > c.rank; at--) {
            list[at] = list[at - 1];
        }
        list[at] = c;
    }
}

static void set_row(pf_import *im, const cpu *c, uint32_t cluster)
{
    const pf_side_table *cpus = &im->t->sides.known[PF_SIDE_CPU];
    const pf_field name = pf_cursor_last(c->fields, PF_TAG_BYTES(PROCESSOR));
    uint32_t processor = name.len ? pf_import_text(im, pf_field_text(&name)) : 0;
    *pf_side_number(cpus, PF_CPU_CLUSTER, c->row) = cluster;
    *pf_side_number(cpus, PF_CPU_CAPACITY, c->row) = c->capacity ? c->capacity : INT64_MIN;
    *pf_side_ref(cpus, PF_CPU_PROCESSOR, c->row) = processor;
}

static void add_frequencies(pf_import *im, const cpu *c)
{
    pf_numbers l = pf_numbers_of(c->fields, FREQUENCY, false);
    uint32_t row, ucpu = pf_import_ucpu(im, c->number);
    for (uint64_t frequency; !pf_import_failed(im) && pf_numbers_next(&l, &frequency);) {
        (void)pf_side_put(&im->t->sides.known[PF_SIDE_CPU_FREQUENCY], (int64_t[]){ucpu, (uint32_t)frequency, ucpu},
                          &row, im->err);
    }
}

static void add_cpus(pf_import *im, const pf_packet *p, cpu *list, uint32_t count)
{
    bool by_capacity = true, by_frequency = true;
    for (uint32_t i = 0; i < count; i++) {
        by_capacity = by_capacity && list[i].capacity;
        by_frequency = by_frequency && list[i].fastest;
        add_args(im, p, &list[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        list[i].rank = by_capacity ? list[i].capacity : by_frequency ? list[i].fastest : 0;
        if (!by_capacity) {
            add_frequencies(im, &list[i]);
        }
    }
    sort_by_rank(list, count);
    for (uint32_t i = 0, cluster = 0; i < count && !pf_import_failed(im); i++) {
        cluster += i > 0 && list[i].rank != list[i - 1].rank;
        set_row(im, &list[i], cluster);
        if (by_capacity) {
            add_frequencies(im, &list[i]);
        }
    }
}

void pf_import_cpu_info(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    cpu *list = NULL;
    uint32_t count = 0, room = 0;
    pf_field f;
    while (!pf_import_failed(im) && pf_cursor_next_of(&c, PF_TAG_BYTES(CPU_LIST), &f)) {
        const cpu read = read_cpu(im, &f, count);
        if (read.row == PF_NONE || PF_LIST_ROOM(&im->t->budget, list, count + 1, room, im->err) != PF_OK) {
            break;
        }
        list[count++] = read;
    }
    if (!count) {
        pf_import_count(im, p->r, PF_STAT_CPU_INFO_EMPTY);
    }
    add_cpus(im, p, list, count);
    PF_LIST_FREE(&im->t->budget, list, room);
}
