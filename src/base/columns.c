/* base/columns.c - see columns.h. Each column is its own anonymous mapping; growing it moves page
 * table entries, not bytes. The kernel hands out zeroed pages on first touch, so a new row is zero without being
 * written. */
#include "base/columns.h"

#include <string.h>
#include <sys/mman.h>

#include "base/list.h"
#include "base/prefault.h"

#define FIRST_ROWS 4096u
#define FAR_ROWS (1u << 20)
#define STEP_BYTES (64u << 10)
#define TOUCH_FROM (1u << 20) /* bytes of a table from which on its pages are touched ahead */
#define TOUCH_ROWS 16384u     /* the least number of rows whose pages are touched at once */
#define LARGEST_ROWS (UINT32_MAX - 1ull)

void pf_columns_init(pf_columns *c, pf_budget *budget, const char *table)
{
    *c = (pf_columns){.budget = budget, .table = table};
}

static size_t mapped_size(size_t rows, size_t size)
{
    return (rows * size + 4095) & ~(size_t)4095;
}

static void *map_rows(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

pf_status pf_columns_add(pf_columns *c, void **base, size_t size, pf_error *err)
{
    *base = NULL;
    PF_TRY(PF_LIST_ROOM(c->budget, c->column, c->count + 1u, c->column_room, err));
    if (c->reserved) {
        uint64_t bytes = (uint64_t)c->room * size;
        PF_TRY(pf_budget_charge(c->budget, bytes) ? PF_OK : pf_budget_refused(c->budget, bytes, err));
        *base = map_rows(mapped_size(c->reserved, size));
        if (!*base) {
            pf_budget_release(c->budget, bytes);
            return pf_budget_refused(c->budget, bytes, err);
        }
    }
    c->column[c->count].base = base;
    c->column[c->count].size = size;
    c->count++;
    c->row_bytes += size;
    return PF_OK;
}

/* The same bytes in a larger mapping, NULL if refused. The place is mapped anew and the pages moved there: a place that
 * mremap chooses would be unknown to the thread sanitizer, which then takes what another thread once did there for a
 * race with us (it watches mmap and munmap only). */
static void *move_rows(void *from, size_t old, size_t new)
{
    void *to = map_rows(new);
    if (!to || mremap(from, old, old, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED) {
        return to;
    }
    munmap(to, new);
    return NULL;
}

static bool remap(pf_columns *c, size_t rows)
{
    for (unsigned i = 0; i < c->count; i++) {
        size_t old = mapped_size(c->reserved, c->column[i].size), new = mapped_size(rows, c->column[i].size);
        void *p = c->reserved ? move_rows(*c->column[i].base, old, new) : map_rows(new);
        if (!p) {
            /* Columns already enlarged stay so: their size is only ever used through c->reserved, so shrink them. */
            while (i-- > 0) {
                size_t size = c->column[i].size;
                if (c->reserved) {
                    void *q = mremap(*c->column[i].base, mapped_size(rows, size), mapped_size(c->reserved, size), 0);
                    (void)q; /* shrinking in place cannot fail */
                } else {
                    munmap(*c->column[i].base, mapped_size(rows, size));
                    *c->column[i].base = NULL;
                }
            }
            return false;
        }
        *c->column[i].base = p;
    }
    c->reserved = rows;
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Has the pages of rows [touched, to) touched in one call each, by the thread if there is one. */
static void touch_to(pf_columns *c, size_t to, pf_prefaulter *t)
{
    to = least(to, c->reserved);
    for (unsigned i = 0; i < c->count && c->touched < to; i++) {
        size_t size = c->column[i].size, bytes = (to - c->touched) * size;
        uint8_t *from = (uint8_t *)*c->column[i].base + c->touched * size;
        if (t) {
            pf_prefaulter_add(t, from, bytes);
        } else {
            pf_touch(from, bytes);
        }
    }
    c->touched = to > c->touched ? to : c->touched;
}

/* The pages of the rows up to `to` are needed now, those of the step after them soon. Only large tables are worth it.
 */
static void touch_rows(pf_columns *c, size_t to, size_t step)
{
    if (to * c->row_bytes < TOUCH_FROM) {
        c->touched = to;
        return;
    }
    pf_prefaulter *t = c->toucher ? c->toucher : pf_budget_prefaulter(c->budget);
    step = step < TOUCH_ROWS ? TOUCH_ROWS : step;
    if (c->touched < to) {
        touch_to(c, c->touched + TOUCH_ROWS > to ? c->touched + TOUCH_ROWS : to, NULL);
    }
    if (t && c->touched < to + step / 2) {
        touch_to(c, to + step, t);
    }
}

/* The rows of the next reservation. Up to `far` rows it grows sixteenfold, so that few pages are moved: each move
 * interrupts the other threads. */
static size_t reservation(const pf_columns *c, uint64_t want, size_t far)
{
    size_t rows = c->reserved ? c->reserved : FIRST_ROWS;
    while (rows < want) {
        rows *= rows < far ? 16 : 2;
    }
    return rows;
}

/* Enlarges the reservation to hold `want` rows, whose bytes are charged already. */
static pf_status make_room(pf_columns *c, uint64_t want, uint64_t charged, pf_error *err)
{
    if (want > c->reserved) {
        if (!remap(c, reservation(c, want, FAR_ROWS)) && !remap(c, reservation(c, want, 0)) && !remap(c, want)) {
            pf_budget_release(c->budget, charged);
            return pf_budget_refused(c->budget, charged, err);
        }
    }
    return PF_OK;
}

static pf_status check_rows(const pf_columns *c, uint64_t rows, uint64_t *limit, pf_error *err)
{
    *limit = c->budget->limits.rows < LARGEST_ROWS ? c->budget->limits.rows : LARGEST_ROWS;
    return rows <= *limit
               ? PF_OK
               : pf_fail(err, PF_ERR_LIMIT, "table %s has more than %llu rows; raise --max-rows, or cut the trace",
                         c->table, (unsigned long long)*limit);
}

pf_status pf_columns_grow(pf_columns *c, uint64_t rows, uint32_t *room, pf_error *err)
{
    uint64_t limit;
    PF_TRY(check_rows(c, rows, &limit, err));
    uint64_t step = STEP_BYTES / (c->row_bytes ? c->row_bytes : 1) + 1;
    uint64_t want = c->room + (step > c->room / 32u ? step : c->room / 32u);
    want = want < rows ? rows : want;
    want = want > limit ? limit : want;
    uint64_t bytes = (want - c->room) * c->row_bytes;
    if (!pf_budget_charge(c->budget, bytes)) {
        want = rows; /* the last rows under the limit are still usable one by one */
        bytes = rows > c->room ? (rows - c->room) * c->row_bytes : 0;
        PF_TRY(pf_budget_charge(c->budget, bytes) ? PF_OK : pf_budget_refused(c->budget, bytes, err));
    }
    PF_TRY(make_room(c, want, bytes, err));
    touch_rows(c, (size_t)want, (size_t)(want - c->room));
    c->room = (uint32_t)want;
    *room = c->room;
    return PF_OK;
}

pf_status pf_columns_reserve(pf_columns *c, uint64_t rows, uint32_t *room, pf_error *err)
{
    uint64_t limit;
    PF_TRY(check_rows(c, rows, &limit, err));
    if (rows <= c->room) {
        return PF_OK;
    }
    uint64_t bytes = (rows - c->room) * c->row_bytes;
    PF_TRY(pf_budget_charge(c->budget, bytes) ? PF_OK : pf_budget_refused(c->budget, bytes, err));
    PF_TRY(make_room(c, rows, bytes, err));
    c->touched = c->touched > rows ? c->touched : (size_t)rows;
    c->room = (uint32_t)rows;
    *room = c->room;
    return PF_OK;
}

void pf_columns_touch(const pf_columns *c, uint32_t from, uint32_t to)
{
    for (unsigned i = 0; i < c->count; i++) {
        size_t size = c->column[i].size;
        pf_touch((uint8_t *)*c->column[i].base + from * size, (to - from) * size);
    }
}

void pf_columns_trim(pf_columns *c)
{
    for (unsigned i = 0; i < c->count && c->room && c->room < c->reserved; i++) {
        size_t size = c->column[i].size, kept = mapped_size(c->room, size), all = mapped_size(c->reserved, size);
        if (kept < all) {
            munmap((uint8_t *)*c->column[i].base + kept, all - kept);
        }
    }
    c->reserved = c->room ? c->room : c->reserved;
    c->touched = least(c->touched, c->reserved);
}

pf_status pf_columns_copy(pf_columns *c, const pf_columns *from, uint32_t rows, uint32_t *room, pf_error *err)
{
    PF_TRY(rows > c->room ? pf_columns_grow(c, rows, room, err) : PF_OK);
    for (unsigned i = 0; i < c->count && rows; i++) {
        memcpy(*c->column[i].base, *from->column[i].base, (size_t)rows * c->column[i].size);
    }
    return PF_OK;
}

void pf_columns_move(const pf_columns *c, uint32_t to, uint32_t from)
{
    for (unsigned i = 0; i < c->count; i++) {
        uint8_t *cells = *c->column[i].base;
        size_t size = c->column[i].size;
        if (cells && to != from) {
            memcpy(cells + to * size, cells + from * size, size);
        }
    }
}

static void unmap(const pf_columns *c, pf_column_place *column)
{
    if (*column->base) {
        munmap(*column->base, mapped_size(c->reserved, column->size));
        *column->base = NULL;
    }
}

void pf_columns_drop(pf_columns *c, void **base)
{
    unsigned i = 0;
    while (i < c->count && c->column[i].base != base) {
        i++;
    }
    if (i == c->count) {
        return;
    }
    size_t size = c->column[i].size;
    unmap(c, &c->column[i]);
    c->column[i] = c->column[--c->count];
    c->row_bytes -= size;
    pf_budget_release(c->budget, (uint64_t)c->room * size);
}

void pf_columns_free(pf_columns *c)
{
    for (unsigned i = 0; i < c->count; i++) {
        unmap(c, &c->column[i]);
    }
    if (c->budget) {
        pf_budget_release(c->budget, (uint64_t)c->room * c->row_bytes);
        pf_release(c->budget, c->column, c->column_room * sizeof *c->column);
    }
    *c = (pf_columns){.budget = c->budget, .table = c->table};
}
