/* support.c - see support.h. The decoder here is written against the wire format alone and shares nothing with src/:
 * envelopes go through protobuf-c, track events (which our .proto files leave out) through a field loop of a few lines.
 */
#include "support.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

/* ---- files ------------------------------------------------------------------------------------------------------- */

char *test_folder(void)
{
    char *folder = strdup("/tmp/pf-write-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    return folder;
}

void test_folder_remove(char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
    free(folder);
}

char *test_path(const char *folder, const char *name)
{
    char *path = NULL;
    cr_assert_geq(asprintf(&path, "%s/%s", folder, name), 0);
    return path;
}

char *test_read(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s: %s", path, strerror(errno));
    char *bytes = NULL;
    size_t have = 0, room = 0;
    do {
        room = room ? room * 2 : 4096;
        bytes = realloc(bytes, room + 1);
        have += fread(bytes + have, 1, room - have, f);
    } while (have == room);
    fclose(f);
    bytes[have] = '\0';
    *len = have;
    return bytes;
}

size_t test_entries(const char *folder)
{
    DIR *d = opendir(folder);
    cr_assert_not_null(d);
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(d);
    return n;
}

char *test_inflate(const char *bytes, size_t len, size_t *plain_len)
{
    size_t room = 16 << 20, have = 0;
    char *plain = malloc(room + 1);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)len};
    cr_assert_eq(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    while (z.avail_in > 0) {
        z.next_out = (Bytef *)plain + have;
        z.avail_out = (uInt)(room - have);
        int result = inflate(&z, Z_NO_FLUSH);
        have = room - z.avail_out;
        cr_assert(result == Z_OK || result == Z_STREAM_END);
        if (result == Z_STREAM_END) {
            cr_assert_eq(inflateReset(&z), Z_OK);
        }
    }
    inflateEnd(&z);
    *plain_len = have;
    return plain;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

typedef struct raw_field {
    uint32_t number, wire;
    uint64_t value;
    const uint8_t *bytes;
    size_t len;
} raw_field;

static uint64_t raw_varint(const uint8_t **p, const uint8_t *end)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        cr_assert(*p < end && shift < 70, "a varint crosses the end");
        uint8_t byte = *(*p)++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return v;
        }
    }
}

static bool raw_next(const uint8_t **p, const uint8_t *end, raw_field *f)
{
    if (*p == end) {
        return false;
    }
    uint64_t tag = raw_varint(p, end);
    *f = (raw_field){.number = (uint32_t)(tag >> 3), .wire = (uint32_t)(tag & 7)};
    if (f->wire == 0) {
        f->value = raw_varint(p, end);
    } else if (f->wire == 2) {
        f->len = (size_t)raw_varint(p, end);
        cr_assert_leq(f->len, (size_t)(end - *p), "a field crosses the end");
        f->bytes = *p;
        *p += f->len;
    } else {
        cr_assert(f->wire == 1 && end - *p >= 8, "wire type %u", f->wire);
        memcpy(&f->value, *p, 8);
        *p += 8;
    }
    return true;
}

/* State of the sequence: interned texts by kind (field number of InternedData) and iid, clock, defaults. */
typedef struct table_of_texts {
    char text[32][64][64];
    uint64_t clock, track; /* of the sequence; default track */
    bool counts_on;
} table_of_texts;

static void copy_text(char *to, size_t room, const uint8_t *bytes, size_t len)
{
    cr_assert_lt(len, room);
    memcpy(to, bytes, len);
    to[len] = '\0';
}

static void take_interned(table_of_texts *known, const uint8_t *p, size_t len)
{
    raw_field kind, part;
    for (const uint8_t *end = p + len; raw_next(&p, end, &kind);) {
        uint64_t iid = 0;
        const uint8_t *entry = kind.bytes;
        while (raw_next(&entry, kind.bytes + kind.len, &part)) {
            if (part.number == 1) {
                iid = part.value;
            } else {
                cr_assert(part.number == 2 && iid > 0 && iid < 64 && kind.number < 32);
                cr_assert_eq(known->text[kind.number][iid][0], '\0', "iid %lu defined twice", (unsigned long)iid);
                copy_text(known->text[kind.number][iid], 64, part.bytes, part.len);
            }
        }
    }
}

__attribute__((format(printf, 3, 4))) static void append(char *to, size_t room, const char *format, ...)
{
    size_t len = strlen(to);
    va_list args;
    va_start(args, format);
    vsnprintf(to + len, room - len, format, args);
    va_end(args);
}

/* A DebugAnnotation as text; the nesting of these tests is shallow, so recursion is fine here. */
static void take_annotation(test_packet *k, const table_of_texts *known, const uint8_t *p, size_t len)
{
    raw_field f;
    char open = 0;
    for (const uint8_t *end = p + len; raw_next(&p, end, &f);) {
        double d;
        memcpy(&d, &f.value, sizeof d);
        switch (f.number) {
        case 1:
            append(k->args, sizeof k->args, "%s=", known->text[3][f.value]);
            break;
        case 2:
            append(k->args, sizeof k->args, f.value ? "true;" : "false;");
            break;
        case 3:
            append(k->args, sizeof k->args, "%luu;", (unsigned long)f.value);
            break;
        case 4:
            append(k->args, sizeof k->args, "%ld;", (long)f.value);
            break;
        case 5:
            append(k->args, sizeof k->args, "%.17gd;", d);
            break;
        case 6:
            append(k->args, sizeof k->args, "'%.*s';", (int)f.len, (const char *)f.bytes);
            break;
        case 7:
            append(k->args, sizeof k->args, "@%lx;", (unsigned long)f.value);
            break;
        case 9: /* JSON text */
            append(k->args, sizeof k->args, "<%.*s>;", (int)f.len, (const char *)f.bytes);
            break;
        case 10:
            append(k->args, sizeof k->args, "%.*s=", (int)f.len, (const char *)f.bytes);
            break;
        case 11:
        case 12:
            append(k->args, sizeof k->args, open ? "" : f.number == 11 ? "{" : "[");
            open = f.number == 11 ? '}' : ']';
            take_annotation(k, known, f.bytes, f.len);
            break;
        case 8: /* a nested value that stands for nothing */
            append(k->args, sizeof k->args, f.len == 2 && f.bytes[1] == 0 ? "null;" : f.len == 2 ? "{};" : "[];");
            break;
        case 17:
            append(k->args, sizeof k->args, "\"%s\";", known->text[29][f.value]);
            break;
        default:
            cr_assert_fail("annotation field %u", f.number);
        }
    }
    if (open) {
        append(k->args, sizeof k->args, "%c;", open);
    }
}

/* Phase, duration and flow of a legacy event. */
static void take_legacy(test_packet *k, const uint8_t *p, size_t len)
{
    raw_field f;
    for (const uint8_t *end = p + len; raw_next(&p, end, &f);) {
        switch (f.number) {
        case 2:
            k->phase = (char)f.value;
            break;
        case 3:
            k->dur_us = (int64_t)f.value;
            break;
        case 4:
            k->thread_dur_us = (int64_t)f.value;
            break;
        case 6:
            k->flow = f.value;
            break;
        case 8:
            k->bind = f.value;
            break;
        case 12:
            k->binds_here = f.value;
            break;
        case 13:
            k->direction = (int)f.value;
            break;
        default:
            cr_assert_fail("legacy field %u", f.number);
        }
    }
}

static void take_event(test_packet *k, const table_of_texts *known, const uint8_t *p, size_t len)
{
    raw_field f;
    k->is_event = true;
    for (const uint8_t *end = p + len; raw_next(&p, end, &f);) {
        switch (f.number) {
        case 3:
            k->category_iid = f.value;
            copy_text(k->category, 64, (const uint8_t *)known->text[1][f.value], strlen(known->text[1][f.value]));
            break;
        case 4:
            take_annotation(k, known, f.bytes, f.len);
            break;
        case 6:
            take_legacy(k, f.bytes, f.len);
            break;
        case 17:
            k->thread_us = (int64_t)f.value;
            break;
        case 9:
            k->type = f.value;
            break;
        case 10:
            k->name_iid = f.value;
            copy_text(k->name, 64, (const uint8_t *)known->text[2][f.value], strlen(known->text[2][f.value]));
            break;
        case 11:
            k->track = f.value;
            break;
        case 22:
            copy_text(k->category, 64, f.bytes, f.len);
            break;
        case 23:
            copy_text(k->name, 64, f.bytes, f.len);
            break;
        case 30:
            k->has_counter = true;
            k->counter = (int64_t)f.value;
            break;
        case 44:
            k->has_double_counter = true;
            memcpy(&k->double_counter, &f.value, 8);
            break;
        case 47:
            k->flow = f.value;
            break;
        default:
            cr_assert_fail("event field %u", f.number);
        }
    }
}

/* Defaults and the clock of the sequence: afterwards the envelope says the time that is meant. */
static void take_clock(test_packet *k, table_of_texts *known)
{
    Pf__Proto__TracePacket *e = k->envelope;
    if (e->clock_snapshot) {
        cr_assert_eq(e->clock_snapshot->n_clocks, 2);
        cr_assert(e->clock_snapshot->clocks[0]->is_incremental);
        known->clock = e->clock_snapshot->clocks[0]->timestamp;
        cr_assert_eq(known->clock, e->clock_snapshot->clocks[1]->timestamp);
    }
    if (e->has_timestamp && e->has_trusted_packet_sequence_id && known->counts_on) {
        known->clock += e->timestamp;
        e->timestamp = known->clock;
    }
}

static void take_defaults(table_of_texts *known, const Pf__Proto__TracePacket *e)
{
    const Pf__Proto__TracePacketDefaults *d = e->trace_packet_defaults;
    if (d) {
        known->counts_on = d->timestamp_clock_id == 64;
        known->track = d->track_event_defaults ? d->track_event_defaults->track_uuid : 0;
    }
}

static void take_packet(test_packet *k, table_of_texts *known, const uint8_t *bytes, size_t len)
{
    memset(k, 0, sizeof *k);
    k->envelope = pf__proto__trace_packet__unpack(NULL, len, bytes);
    cr_assert_not_null(k->envelope, "protobuf-c rejects a packet");
    take_defaults(known, k->envelope);
    raw_field f, event = {0};
    for (const uint8_t *p = bytes; raw_next(&p, bytes + len, &f);) {
        if (f.number == 12) {
            take_interned(known, f.bytes, f.len);
        } else if (f.number == 11) {
            event = f;
        }
    }
    if (event.bytes) {
        k->track = known->track;
        take_event(k, known, event.bytes, event.len);
    }
    take_clock(k, known);
}

test_packets test_decode(const void *bytes, size_t len)
{
    test_packets all = {0};
    table_of_texts *known = calloc(1, sizeof *known);
    raw_field f;
    const uint8_t *p = bytes, *end = p + len;
    size_t room = 0;
    while (raw_next(&p, end, &f)) {
        cr_assert(f.number == 1 && f.wire == 2);
        if (all.count == room) {
            room = room ? room * 2 : 64;
            all.list = realloc(all.list, room * sizeof *all.list);
        }
        take_packet(&all.list[all.count++], known, f.bytes, f.len);
    }
    free(known);
    return all;
}

void test_packets_free(test_packets *p)
{
    for (size_t i = 0; i < p->count; i++) {
        pf__proto__trace_packet__free_unpacked(p->list[i].envelope, NULL);
    }
    free(p->list);
}

size_t test_event_count(const test_packets *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        n += p->list[i].is_event;
    }
    return n;
}

const test_packet *test_event(const test_packets *p, size_t n)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->list[i].is_event && n-- == 0) {
            return &p->list[i];
        }
    }
    cr_assert_fail("there are too few events");
    return NULL;
}

const Pf__Proto__TrackDescriptor *test_descriptor(const test_packets *p, size_t n)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->list[i].envelope->track_descriptor && n-- == 0) {
            return p->list[i].envelope->track_descriptor;
        }
    }
    cr_assert_fail("there are too few descriptors");
    return NULL;
}

const Pf__Proto__TrackDescriptor *test_descriptor_of(const test_packets *p, uint64_t uuid)
{
    for (size_t i = 0; i < p->count; i++) {
        const Pf__Proto__TrackDescriptor *d = p->list[i].envelope->track_descriptor;
        if (d && d->uuid == uuid) {
            return d;
        }
    }
    cr_assert_fail("nothing describes uuid %lx", (unsigned long)uuid);
    return NULL;
}

bool test_bytes_are(ProtobufCBinaryData bytes, const char *text)
{
    return bytes.len == strlen(text) && (bytes.len == 0 || memcmp(bytes.data, text, bytes.len) == 0);
}

const char *test_attribute(const test_packets *p, const char *key, char buf[64])
{
    buf[0] = '\0';
    for (size_t i = 0; i < p->count; i++) {
        const Pf__Proto__TraceAttributes *list = p->list[i].envelope->trace_attributes;
        for (size_t k = 0; list && k < list->n_attribute; k++) {
            const Pf__Proto__TraceAttribute *a = list->attribute[k];
            if (test_bytes_are(a->key, key) && a->has_string_value) {
                copy_text(buf, 64, a->string_value.data, a->string_value.len);
            } else if (test_bytes_are(a->key, key)) {
                snprintf(buf, 64, "%ld", (long)a->long_value);
            }
        }
    }
    return buf;
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

/* Arguments are stored as a little text: "i5 key", "t... key" (u, p and j: unsigned, pointers in hexadecimal and JSON),
 * "{ key", "[ key", "}" separated by '|'. */
static pf_status decode_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                             const pf_arg_visitor *v, pf_error *err)
{
    char *copy = strndup((const char *)bytes, len), *rest = copy;
    pf_status st = PF_OK;
    for (char *word; st == PF_OK && (word = strsep(&rest, "|")) != NULL;) {
        char *blank = strrchr(word, ' ');
        pf_str key = blank && blank[1] ? (pf_str){blank + 1, strlen(blank + 1)} : (pf_str){NULL, 0};
        if (blank) {
            *blank = '\0';
        }
        pf_value value = {.type = PF_VALUE_NULL};
        switch (word[0]) {
        case '{':
            st = v->begin(v->ctx, key, false);
            continue;
        case '[':
            st = v->begin(v->ctx, key, true);
            continue;
        case '}':
            st = v->end(v->ctx);
            continue;
        case 'i':
            value = (pf_value){.type = PF_VALUE_INT, .as.i = strtoll(word + 1, NULL, 10)};
            break;
        case 'd':
            value = (pf_value){.type = PF_VALUE_REAL, .as.d = strtod(word + 1, NULL)};
            break;
        case 'b':
            value = (pf_value){.type = PF_VALUE_BOOL, .as.b = word[1] == '1'};
            break;
        case 'u':
            value = (pf_value){.type = PF_VALUE_UINT, .as.u = strtoull(word + 1, NULL, 10)};
            break;
        case 'p':
            value = (pf_value){.type = PF_VALUE_POINTER, .as.u = strtoull(word + 1, NULL, 16)};
            break;
        case 'j':
            value = (pf_value){.type = PF_VALUE_JSON, .as.s = {word + 1, strlen(word + 1)}};
            break;
        case 't':
            value = (pf_value){.type = PF_VALUE_STRING, .as.s = {word + 1, strlen(word + 1)}};
            break;
        default:
            break;
        }
        st = v->value(v->ctx, key, &value);
    }
    free(copy);
    return st;
}

pf_trace *test_trace(const char *format, uint32_t want)
{
    pf_error err;
    pf_trace *t = pf_trace_new(NULL, want, &err);
    cr_assert_not_null(t);
    t->input_count = 1;
    t->inputs = pf_arena_alloc(&t->arena, sizeof *t->inputs);
    t->files = pf_arena_alloc(&t->arena, sizeof *t->files);
    memset(t->inputs, 0, sizeof *t->inputs);
    memset(t->files, 0, sizeof *t->files);
    t->inputs->path = "-";
    t->inputs->format = format;
    t->inputs->compression = "none";
    cr_assert_eq(pf_trace_add_decoder(t, decode_args, NULL), 0);
    return t;
}

uint32_t test_string(pf_trace *t, const char *text)
{
    pf_error err;
    return text ? pf_strings_add(&t->strings, text, strlen(text), &err) : 0;
}

static uint32_t track_of_ids(pf_trace *t, const pf_ident *pid, const pf_ident *tid)
{
    pf_error err;
    uint32_t upid = pf_trace_process(t, pid, &err);
    return pf_trace_thread_track(t, pf_trace_thread(t, upid, tid, &err), &err);
}

static uint32_t track_of(pf_trace *t, const pf_ident *pid, int64_t tid)
{
    const pf_ident id = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = tid};
    return track_of_ids(t, pid, &id);
}

uint32_t test_thread(pf_trace *t, int64_t pid, int64_t tid)
{
    const pf_ident id = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = pid};
    return track_of(t, &id, tid);
}

uint32_t test_word_thread(pf_trace *t, int64_t pid, const char *tid)
{
    const pf_ident process = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = pid};
    const pf_ident thread = {.kind = PF_ID_TEXT, .spelling = PF_ID_TEXT, .text = test_string(t, tid)};
    return track_of_ids(t, &process, &thread);
}

uint32_t test_text_thread(pf_trace *t, const char *pid, int64_t tid)
{
    const pf_ident id = {.kind = PF_ID_TEXT, .spelling = PF_ID_TEXT, .text = test_string(t, pid)};
    return track_of(t, &id, tid);
}

void test_add(pf_trace *t, uint8_t phase, int64_t ts, int64_t dur, uint32_t track, const char *name,
              const char *category)
{
    pf_error err;
    const pf_event e = {.ts = ts,
                        .dur = dur,
                        .name = test_string(t, name),
                        .category = test_string(t, category),
                        .track = track,
                        .phase = phase};
    cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
}

void test_args(pf_trace *t, const char *args)
{
    pf_error err;
    cr_assert_eq(pf_trace_add_args(t, (const uint8_t *)args, strlen(args), 0, 0, true, &err), PF_OK);
}

void test_finish(pf_trace *t)
{
    pf_error err;
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
}

test_packets test_converted(pf_trace *t, char **bytes)
{
    char *folder = test_folder(), *path = test_path(folder, "out.pftrace");
    pf_error err;
    size_t len;
    test_finish(t);
    cr_assert_eq(pf_convert_pftrace(t, path, NULL, &err), PF_OK, "%s", err.text);
    *bytes = test_read(path, &len);
    free(path);
    test_folder_remove(folder);
    pf_trace_free(t);
    return test_decode(*bytes, len);
}

char test_phase(const test_packet *event)
{
    return event->phase ? event->phase : "?BEIC"[event->type];
}
