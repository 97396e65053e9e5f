/* base/arena.h - many small allocations that die together. Blocks double from 4 KiB to 1 MiB; nothing moves. */
#pragma once

#include "base/budget.h"

typedef struct pf_arena_block pf_arena_block;

typedef struct pf_arena {
    pf_budget *budget;
    pf_arena_block *blocks; /* newest first */
    pf_arena_block *spare;  /* of before the last reset */
    char *at, *end;         /* free part of the newest block */
    size_t next_size;
} pf_arena;

void pf_arena_init(pf_arena *a, pf_budget *budget);
void pf_arena_free(pf_arena *a);

/* Forgets all that was allocated; its blocks serve again. New memory of the system costs as much as writing it several
 * times over, so steps that need arrays one after the other share an arena. */
void pf_arena_reset(pf_arena *a);

/* 8-byte aligned memory, NULL if refused. */
void *pf_arena_alloc(pf_arena *a, size_t size);

/* An array of `count` zeros at `base`; NULL where memory is refused. */
pf_status pf_arena_new(pf_arena *a, void **base, size_t size, size_t count, pf_error *err);
#define PF_ARENA_NEW(arena, base, count, err) pf_arena_new((arena), (void **)&(base), sizeof *(base), (count), (err))

/* Room for `need` elements at *base, doubled as long as they do not fit; new ones are not set. The array moves, and
 * what it had before stays in the arena. */
pf_status pf_arena_grow(pf_arena *a, void **base, size_t size, size_t need, uint32_t *room, pf_error *err);
#define PF_ARENA_ROOM(arena, base, need, room, err)                                                                    \
    ((need) <= (room) ? PF_OK : pf_arena_grow((arena), (void **)&(base), sizeof *(base), (need), &(room), (err)))

/* A copy of the bytes with a NUL after them, NULL if refused. */
char *pf_arena_copy(pf_arena *a, const char *bytes, size_t len);
