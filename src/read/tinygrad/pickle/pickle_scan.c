/* read/tinygrad/pickle/pickle_scan.c - which entries of the memo a pickle fetches.
 *
 * Python puts almost every value into the memo and fetches few of them again. One look over the opcodes before the
 * machine runs tells which, and the others need not be remembered, so that their values can go. The look ends at
 * whatever it does not understand; the machine will say what is wrong there. */
#include <string.h>

#include "read/tinygrad/pickle/pickle_machine.h"

/* How an opcode's argument is long: fixed, or counted by so many bytes. */
typedef struct argument {
    uint8_t fixed, counted;
    bool known;
} argument;

static const argument arguments[256] = {
    [0x80] = {1, 0, true}, [0x95] = {8, 0, true}, ['('] = {0, 0, true},  ['0'] = {0, 0, true},  ['1'] = {0, 0, true},
    ['2'] = {0, 0, true},  [0x94] = {0, 0, true}, ['q'] = {1, 0, true},  ['r'] = {4, 0, true},  ['h'] = {1, 0, true},
    ['j'] = {4, 0, true},  ['N'] = {0, 0, true},  [0x88] = {0, 0, true}, [0x89] = {0, 0, true}, ['K'] = {1, 0, true},
    ['M'] = {2, 0, true},  ['J'] = {4, 0, true},  [0x8A] = {0, 1, true}, [0x8B] = {0, 4, true}, ['G'] = {8, 0, true},
    [0x8C] = {0, 1, true}, ['X'] = {0, 4, true},  [0x8D] = {0, 8, true}, ['C'] = {0, 1, true},  ['B'] = {0, 4, true},
    [0x8E] = {0, 8, true}, [0x96] = {0, 8, true}, [']'] = {0, 0, true},  [')'] = {0, 0, true},  ['}'] = {0, 0, true},
    [0x8F] = {0, 0, true}, ['t'] = {0, 0, true},  ['l'] = {0, 0, true},  ['d'] = {0, 0, true},  [0x91] = {0, 0, true},
    [0x85] = {0, 0, true}, [0x86] = {0, 0, true}, [0x87] = {0, 0, true}, ['a'] = {0, 0, true},  ['e'] = {0, 0, true},
    [0x90] = {0, 0, true}, ['s'] = {0, 0, true},  ['u'] = {0, 0, true},  ['c'] = {0, 0, true},  [0x93] = {0, 0, true},
    [0x81] = {0, 0, true}, ['R'] = {0, 0, true},  [0x92] = {0, 0, true}, ['b'] = {0, 0, true},
};

static uint64_t little_endian(const uint8_t *bytes, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++) {
        v |= (uint64_t)bytes[i] << (8 * i);
    }
    return v;
}

/* Sets the bit of an index that is fetched. One beyond the bytes of the file was never put. */
static pf_status note(pf_pickle_values *v, uint64_t index, pf_error *err)
{
    size_t byte = (size_t)(index / 8);
    if (index > v->input.len) {
        return PF_OK;
    }
    if (byte >= v->fetched_bytes) {
        size_t bytes = byte < 512 ? 1024 : 2 * byte;
        uint8_t *more = pf_resize(v->budget, v->fetched, v->fetched_bytes, bytes);
        if (!more) {
            return pf_budget_refused(v->budget, bytes, err);
        }
        memset(more + v->fetched_bytes, 0, bytes - v->fetched_bytes);
        v->fetched = more;
        v->fetched_bytes = bytes;
    }
    v->fetched[byte] |= (uint8_t)(1u << index % 8);
    return PF_OK;
}

/* Two lines of text, after opcode GLOBAL. */
static size_t lines_end(const uint8_t *bytes, size_t len, size_t at)
{
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *end = memchr(bytes + at, '\n', len - at);
        at = end ? (size_t)(end - bytes) + 1 : len;
    }
    return at;
}

/* Where the argument of the opcode before `at` ends; beyond `len` where it is cut. */
static uint64_t argument_end(const uint8_t *bytes, size_t len, size_t at, uint8_t op)
{
    argument a = arguments[op];
    if (op == 'c') {
        return lines_end(bytes, len, at);
    }
    if (len - at < (size_t)a.fixed + a.counted) {
        return (uint64_t)len + 1;
    }
    uint64_t length = a.counted == 1 ? bytes[at] : a.counted ? little_endian(bytes + at, a.counted) : 0;
    at += (size_t)a.fixed + a.counted;
    return length > len - at ? (uint64_t)len + 1 : at + length;
}

pf_status pf_pickle_scan(pf_pickle_values *v, pf_error *err)
{
    const uint8_t *bytes = v->input.ptr;
    size_t len = v->input.len, at = 0;
    pf_status st = PF_OK;
    while (st == PF_OK && at < len && bytes[at] != '.' && arguments[bytes[at]].known) {
        uint8_t op = bytes[at++];
        uint64_t end = argument_end(bytes, len, at, op);
        if (end > len) {
            break;
        }
        if (op == 'h' || op == 'j') {
            st = note(v, op == 'h' ? bytes[at] : little_endian(bytes + at, 4), err);
        }
        at = (size_t)end;
    }
    return st;
}

bool pf_pickle_is_fetched(const pf_pickle *p, uint64_t index)
{
    const pf_pickle_values *v = p->v;
    return index / 8 < v->fetched_bytes && (v->fetched[index / 8] >> index % 8 & 1);
}
