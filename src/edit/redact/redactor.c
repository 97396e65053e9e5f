/* edit/redact/redactor.c - keys and hashes.
 *
 * HMAC (RFC 2104) hashes the text behind a block that the key gives, and that hash behind another such block. 48 bits
 * of it are shown: among a million different texts, two share a hash with a chance of one in 500.
 */
#include "edit/redact/redact.h"

#include <sys/random.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/str.h"
#include "base/text/glob.h"

static unsigned hex_byte(const char *hex)
{
    return pf_hex_value(hex[0]) << 4 | pf_hex_value(hex[1]);
}

pf_status pf_redact_make_key(uint8_t key[PF_REDACT_KEY_MADE], pf_error *err)
{
    return getrandom(key, PF_REDACT_KEY_MADE, 0) == PF_REDACT_KEY_MADE
               ? PF_OK
               : pf_fail(err, PF_ERR_INTERNAL, "the system gives no random key; pass a key of your own");
}

/* Keys of more than a block are hashed first, as the standard says. */
static pf_status set_key(pf_redactor *r, pf_error *err)
{
    uint8_t random[PF_REDACT_KEY_MADE];
    pf_bytes key = r->o.key;
    char hex[65];
    if (!key.ptr) {
        PF_TRY(pf_redact_make_key(random, err));
        key = (pf_bytes){random, sizeof random};
    }
    if (key.len < PF_REDACT_KEY_MIN) {
        return pf_fail(err, PF_ERR_USAGE,
                       "the key has %zu bytes, but needs %d at least; make one with head -c 32 /dev/urandom", key.len,
                       PF_REDACT_KEY_MIN);
    }
    if (key.len <= sizeof r->key) {
        memcpy(r->key, key.ptr, key.len);
    } else {
        pf_sha256(key.ptr, key.len, hex);
        for (size_t i = 0; i < 32; i++) {
            r->key[i] = (uint8_t)hex_byte(hex + 2 * i);
        }
    }
    r->o.key = (pf_bytes){NULL, 0};
    return PF_OK;
}

pf_status pf_redactor_init(pf_redactor *r, const pf_redact_options *o, pf_budget *budget, pf_error *err)
{
    *r = (pf_redactor){.o = *o, .budget = budget};
    pf_writer_init(&r->writer, &r->packet);
    PF_TRY(set_key(r, err));
    return pf_strings_init(&r->texts, budget, err);
}

static void forget_known(pf_redactor *r)
{
    pf_strings_free(&r->texts);
    PF_LIST_FREE(r->budget, r->known, r->known_room);
    r->known = NULL;
    r->known_room = 0;
    r->known_bytes = 0;
}

void pf_redactor_free(pf_redactor *r)
{
    forget_known(r);
    pf_writer_free(&r->writer);
    pf_buffer_free(&r->block);
    pf_buffer_free(&r->text);
    pf_buffer_free(&r->plain);
    pf_buffer_free(&r->pieces);
    pf_buffer_free(&r->json);
    pf_buffer_free(&r->packet);
}

/* The block that the key gives with one of the two constants of HMAC. */
static void put_key(pf_redactor *r, uint8_t with)
{
    uint8_t block[sizeof r->key];
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] = r->key[i] ^ with;
    }
    r->block.len = 0;
    pf_buffer_put(&r->block, block, sizeof block);
}

static pf_status put_hash(pf_redactor *r, pf_str text, char *out, pf_error *err)
{
    char hex[65];
    put_key(r, 0x36);
    pf_buffer_put(&r->block, text.ptr, text.len);
    if (r->block.failed) {
        return pf_no_memory(err);
    }
    pf_sha256((const uint8_t *)r->block.data, r->block.len, hex);
    put_key(r, 0x5c);
    for (size_t i = 0; i < 32; i++) {
        uint8_t byte = (uint8_t)hex_byte(hex + 2 * i);
        pf_buffer_put(&r->block, &byte, 1);
    }
    pf_sha256((const uint8_t *)r->block.data, r->block.len, hex);
    out[0] = 'x';
    memcpy(out + 1, hex, PF_REDACT_DIGITS);
    out[1 + PF_REDACT_DIGITS] = 0;
    return PF_OK;
}

/* Words that Perfetto or we look for: names of metadata events and of counters with a meaning of their own. */
static bool is_word_of_format(pf_str text)
{
    static const char *const words[] = {
        "thread_name",      "process_name", "process_labels",    "thread_sort_index",        "process_sort_index",
        "Profile",          "ProfileChunk", "thread_time",       "thread_instruction_count", "ScreenState",
        "kill_one_process", "swapper",      "DeviceStateChanged"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (pf_str_is(text, words[i])) {
            return true;
        }
    }
    static const pf_str starts[] = {{"postfetto.", 10}, {"kworker/", 8}, {"battery_stats.", 14}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (pf_str_starts(text, starts[i])) {
            return true;
        }
    }
    return false;
}

static pf_status is_kept(pf_redactor *r, pf_str text, bool *kept, pf_error *err)
{
    *kept = is_word_of_format(text);
    if (r->o.keep_count && !memchr(text.ptr, 0, text.len)) {
        r->block.len = 0;
        pf_buffer_put(&r->block, text.ptr, text.len);
        pf_buffer_put(&r->block, "", 1);
        if (r->block.failed) {
            return pf_no_memory(err);
        }
        for (size_t i = 0; i < r->o.keep_count && !*kept; i++) {
            *kept = pf_glob_fits(r->o.keep[i], r->block.data);
        }
    }
    return PF_OK;
}

/* The entry of a text that is not known yet. */
static pf_status learn(pf_redactor *r, pf_str text, uint32_t *id, pf_error *err)
{
    bool kept;
    if (r->known_bytes > PF_REDACT_KNOWN) {
        forget_known(r);
        PF_TRY(pf_strings_init(&r->texts, r->budget, err));
    }
    PF_TRY(pf_strings_put(&r->texts, text, id, err));
    PF_TRY(PF_LIST_ROOM(r->budget, r->known, *id + 1, r->known_room, err));
    r->known_bytes += text.len + sizeof *r->known + 32;
    r->known[*id].hash[0] = 0;
    PF_TRY(is_kept(r, text, &kept, err));
    return kept ? PF_OK : put_hash(r, text, r->known[*id].hash, err);
}

pf_status pf_redact_whole(pf_redactor *r, pf_str text, pf_str *to, pf_error *err)
{
    *to = text;
    if (!text.len) {
        return PF_OK;
    }
    uint32_t id = pf_strings_find(&r->texts, text.ptr, text.len);
    if (id == PF_NONE) {
        PF_TRY(learn(r, text, &id, err));
    }
    if (r->known[id].hash[0]) {
        *to = pf_str_of(r->known[id].hash);
    }
    return PF_OK;
}
