/* read/chrome_json/scan/event_keys.h - the keys of an event that mean something.
 *
 * Eight bytes after a key's opening quote are loaded as one number and compared with the known keys including their
 * closing quote, so that a key costs one load and a few branches that the processor learns.
 */
#ifndef PF_READ_CHROME_JSON_SCAN_EVENT_KEYS_H
#define PF_READ_CHROME_JSON_SCAN_EVENT_KEYS_H

#include "read/chrome_json/scan/words.h"

typedef enum pf_json_key {
    PF_JSON_KEY_OTHER = 0,
    PF_JSON_KEY_PH,
    PF_JSON_KEY_TS,
    PF_JSON_KEY_DUR,
    PF_JSON_KEY_PID,
    PF_JSON_KEY_TID,
    PF_JSON_KEY_NAME,
    PF_JSON_KEY_CAT,
    PF_JSON_KEY_ARGS,
    PF_JSON_KEY_ID,
    PF_JSON_KEY_S,
    PF_JSON_KEY_ID2,
    PF_JSON_KEY_BIND_ID,
    PF_JSON_KEY_BP,
    PF_JSON_KEY_TTS,
    PF_JSON_KEY_TDUR,
    PF_JSON_KEY_FLOW_IN,
    PF_JSON_KEY_FLOW_OUT,
    PF_JSON_KEY_STACK,     /* sf, esf, stack, estack */
    PF_JSON_KEY_OTHER_ARGS /* the key of pf_json_rules.args_key */
} pf_json_key;

#define PF_KEY2(a, b) ((uint64_t)(a) | (uint64_t)(b) << 8)
#define PF_KEY4(a, b, c, d) (PF_KEY2(a, b) | PF_KEY2(c, d) << 16)

/* Keys that few events have. `p` stands after the opening quote; *len is the key's length if it is one of these. */
pf_json_key pf_json_rare_key(const uint8_t *p, size_t *len);

/* The same for all known keys, written without escapes. */
static inline pf_json_key pf_json_known_key(const uint8_t *p, size_t *len)
{
    uint32_t w4 = (uint32_t)pf_json_load8(p);
    *len = 2;
    switch (w4 & 0xffffff) {
    case PF_KEY4('p', 'h', '"', 0):
        return PF_JSON_KEY_PH;
    case PF_KEY4('t', 's', '"', 0):
        return PF_JSON_KEY_TS;
    case PF_KEY4('i', 'd', '"', 0):
        return PF_JSON_KEY_ID;
    default:
        break;
    }
    *len = 3;
    switch (w4) {
    case PF_KEY4('p', 'i', 'd', '"'):
        return PF_JSON_KEY_PID;
    case PF_KEY4('t', 'i', 'd', '"'):
        return PF_JSON_KEY_TID;
    case PF_KEY4('d', 'u', 'r', '"'):
        return PF_JSON_KEY_DUR;
    case PF_KEY4('c', 'a', 't', '"'):
        return PF_JSON_KEY_CAT;
    default:
        break;
    }
    *len = 4;
    if (w4 == PF_KEY4('n', 'a', 'm', 'e') && p[4] == '"') {
        return PF_JSON_KEY_NAME;
    }
    if (w4 == PF_KEY4('a', 'r', 'g', 's') && p[4] == '"') {
        return PF_JSON_KEY_ARGS;
    }
    return pf_json_rare_key(p, len);
}

#endif
