/* base/sized.h - structs that cross the boundary of the library may be shorter or longer than ours: the program was
 * compiled with the headers of another release. Members are only ever added at the end. */
#pragma once

#include <stddef.h>
#include <string.h>

/* Fills `size` bytes of the caller's struct from ours: what he does not know is left out, what we do not know is 0. */
static inline void pf_sized_give(void *theirs, size_t size, const void *ours, size_t our_size)
{
    memset(theirs, 0, size);
    memcpy(theirs, ours, size < our_size ? size : our_size);
}

/* The bytes of a struct up to a member: its size in the release whose last member that was. */
#define PF_SIZED_UPTO(type, member) (offsetof(type, member) + sizeof((type *)NULL)->member)

/* Overwrites the first members of ours, which holds defaults, with the caller's; `size` is his first member. 0 stands
 * for the struct of the first release, `first` bytes. */
static inline void pf_sized_take(void *ours, size_t our_size, const void *theirs, size_t size, size_t first)
{
    size = size ? size : first;
    memcpy(ours, theirs, size < our_size ? size : our_size);
    memcpy(ours, &our_size, sizeof our_size);
}
