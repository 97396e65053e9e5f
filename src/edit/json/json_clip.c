/* edit/json/json_clip.c - see json_clip.h. */
#include "edit/json/json_clip.h"

#include "base/str.h"
#include "base/text/json_text.h"
#include "json/scan/record_parts.h"
#include "json/scan/skip.h"

#define KEY_MAX 32 /* bytes of a key written with escapes that may still be one of ours */

/* Microseconds with up to three decimals, as many as are needed; or cycles. */
static void put_time(pf_buffer *out, int64_t ns, bool cycles)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (cycles) {
        pf_buffer_int(out, ns);
        return;
    }
    pf_buffer_text(out, ns < 0 ? "-" : "");
    pf_buffer_decimal(out, size / 1000);
    unsigned rest = (unsigned)(size % 1000);
    if (rest) {
        const char digits[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10)};
        pf_buffer_put(out, digits, rest % 10 ? 4 : rest % 100 ? 3 : 2);
    }
}

static void put_mark(pf_buffer *out, pf_str args, bool *any, const char *flag, const char *time, int64_t ns)
{
    if (pf_str_find(args, pf_str_of(time)) != SIZE_MAX) {
        return;
    }
    pf_buffer_format(out, "%s%s: true, %s: %lld", *any ? ", " : "", flag, time, (long long)ns);
    *any = true;
}

/* Marks as the first members of the object `args`, whose opening brace is written: after a value that is no JSON (NaN)
 * Perfetto's engine reads none. */
static void put_marks(pf_buffer *out, pf_str args, const pf_json_clip *clip)
{
    const uint8_t *p = (const uint8_t *)args.ptr + 1, *end = p + args.len - 2;
    bool any = false;
    if (clip->begins) {
        put_mark(out, args, &any, "\"cut.begins_before\"", "\"cut.original_ts\"", clip->original);
    }
    if (clip->ends) {
        put_mark(out, args, &any, "\"cut.ends_after\"", "\"cut.original_end\"", clip->original_end);
    }
    if (clip->outside && pf_str_find(args, PF_STR("\"cut.flow_outside\"")) == SIZE_MAX) {
        pf_buffer_format(out, "%s\"cut.flow_outside\": true", any ? ", " : "");
        any = true;
    }
    pf_buffer_text(out, any && pf_json_skip_space(p, end) != end ? ", " : "");
}

static bool is_key(pf_str key, pf_str wanted)
{
    char plain[KEY_MAX];
    if (key.len <= sizeof plain && memchr(key.ptr, '\\', key.len)) {
        unsigned lone = 0;
        key = (pf_str){plain, pf_json_unescape((const uint8_t *)key.ptr, key.len, plain, &lone)};
    }
    return pf_str_equal(key, wanted);
}

/* Appends bytes of the event from *done up to `to`. */
static void catch_up(pf_buffer *out, const char **done, const char *to)
{
    pf_buffer_put(out, *done, (size_t)(to - *done));
    *done = to;
}

void pf_json_put_clipped(pf_buffer *out, pf_bytes event, pf_str args_key, const pf_json_clip *clip)
{
    const uint8_t *p = event.ptr + 1, *end = event.ptr + event.len;
    const char *done = (const char *)event.ptr;
    bool marked = !clip->begins && !clip->ends && !clip->outside, has_dur = clip->phase != 'X';
    pf_json_member m;
    while (pf_json_next_member(&p, end, &m)) {
        bool ts = clip->moves && is_key(m.key, PF_STR("ts"));
        bool dur = (clip->moves || clip->phase == 'X') && clip->dur >= 0 && is_key(m.key, PF_STR("dur"));
        has_dur |= dur;
        if (ts || dur) {
            catch_up(out, &done, m.value.ptr);
            put_time(out, ts ? clip->ts : clip->dur, clip->cycles);
            done += m.value.len;
        } else if (clip->phase && is_key(m.key, PF_STR("ph"))) {
            catch_up(out, &done, m.value.ptr);
            pf_buffer_format(out, "\"%c\"", clip->phase);
            done += m.value.len;
        } else if (*m.value.ptr == '{' && is_key(m.key, args_key)) {
            catch_up(out, &done, m.value.ptr + 1);
            put_marks(out, m.value, clip);
            marked = true;
        }
    }
    catch_up(out, &done, (const char *)end - 1);
    if (!marked) {
        pf_buffer_text(out, ", \"args\": {");
        put_marks(out, PF_STR("{}"), clip);
        pf_buffer_text(out, "}");
    }
    pf_buffer_text(out, has_dur ? "}" : ", \"dur\": 0}");
}

void pf_json_put_end(pf_buffer *out, pf_bytes event, uint8_t phase, const pf_json_clip *clip)
{
    static const char *const keys[] = {"name", "cat", "pid", "tid", "id", "id2", "scope"};
    const uint8_t *p = event.ptr + 1;
    pf_json_member m;
    char end = phase == 'b' ? 'e' : phase == 'S' ? 'F' : phase == 'N' ? 'D' : 'E';
    pf_buffer_format(out, "{\"ph\": \"%c\", \"ts\": ", end);
    put_time(out, clip->ts, clip->cycles);
    if (clip->has_tts) {
        pf_buffer_text(out, ", \"tts\": ");
        put_time(out, clip->tts, clip->cycles);
    }
    pf_buffer_text(out, clip->alien ? ", \"cat\": \"" PF_JSON_ALIEN "\"" : "");
    while (pf_json_next_member(&p, event.ptr + event.len, &m)) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            if (is_key(m.key, pf_str_of(keys[i])) && !(clip->alien && i == 1)) {
                pf_buffer_format(out, ", \"%s\": ", keys[i]);
                pf_buffer_put(out, m.value.ptr, m.value.len);
            }
        }
    }
    if (clip->ends) {
        pf_buffer_text(out, ", \"args\": {");
        put_marks(out, PF_STR("{}"), clip);
    }
    pf_buffer_text(out, clip->ends ? "}}" : "}");
}
