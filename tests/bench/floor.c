/* floor.c - what the bench compares with: the least that any reader of the same bytes has to do, and the usual way.
 *
 *     bench_floor framing FILE        steps from packet to packet, looking at nothing inside
 *     bench_floor memcpy FILE         copies the bytes once
 *     bench_floor inflate FILE.gz     zlib, into a buffer that is used again and again
 *     bench_floor unpack FILE         protobuf-c: every packet into its structs, and frees them
 *     bench_floor unpack-arena FILE   the same with memory that is given out in one row and never freed
 *     bench_floor copy FILE OUT       writes the bytes of a mapped file into another one
 *     bench_floor spawn N COMMAND...  starts a command N times and waits for it: the whole life of the process
 *
 * Prints one line of JSON: seconds (for spawn the median, and the least), bytes, what was counted; for spawn the
 * largest resident memory in KB. The file is read (and memory touched) before the clock starts, inflate's output
 * excepted.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/files/file.h"
#include "hot.pb-c.h"
#include "perfetto/fields.h"
#include "wire/cursor.h"

enum { INFLATED = 1 << 18, ARENA = 1 << 20, ANY_HEADER = 15 + 32, SPAWNS_MAX = 100000 };

typedef struct input {
    uint8_t *bytes;
    size_t len;
} input;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
    fprintf(stderr, "bench_floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

static input read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    input in = {NULL, 0};
    if (!f || fseek(f, 0, SEEK_END) != 0) {
        die(path);
    }
    in.len = (size_t)ftell(f);
    in.bytes = calloc(1, in.len + PF_SLOP);
    rewind(f);
    if (!in.bytes || fread(in.bytes, 1, in.len, f) != in.len) {
        die(path);
    }
    fclose(f);
    return in;
}

static void report(double seconds, size_t bytes, const char *what, uint64_t count)
{
    printf("{\"seconds\": %.9f, \"bytes\": %zu, \"%s\": %" PRIu64 "}\n", seconds, bytes, what, count);
}

/* Tag and length of each packet, and on; ends where something else than a packet begins. */
static void measure_framing(input in)
{
    uint64_t packets = 0;
    size_t at = 0;
    double start = now();
    while (at < in.len && in.bytes[at] == PF_TAG_BYTES(PF_F_TRACE_PACKET)) {
        uint64_t len = in.bytes[++at] & 0x7f;
        for (unsigned shift = 7; in.bytes[at++] & 0x80 && shift < 35; shift += 7) {
            len |= (uint64_t)(in.bytes[at] & 0x7f) << shift;
        }
        at = len <= in.len - at ? at + (size_t)len : in.len;
        packets++;
    }
    report(now() - start, in.len, "packets", packets);
}

static void measure_memcpy(input in)
{
    uint8_t *copy = malloc(in.len);
    if (!copy) {
        die("memcpy");
    }
    memset(copy, 1, in.len);
    double start = now();
    memcpy(copy, in.bytes, in.len);
    double seconds = now() - start;
    report(seconds, in.len, "last_byte", in.len ? copy[in.len - 1] : 0);
    free(copy);
}

static void measure_inflate(input in)
{
    static uint8_t out[INFLATED];
    z_stream z = {.next_in = in.bytes};
    size_t left = in.len;
    uint64_t plain = 0;
    double start = now();
    int rc = inflateInit2(&z, ANY_HEADER);
    while (rc == Z_OK) {
        if (z.avail_in == 0) {
            z.avail_in = left < INFLATED ? (uInt)left : INFLATED;
            left -= z.avail_in;
        }
        z.next_out = out;
        z.avail_out = INFLATED;
        rc = inflate(&z, Z_NO_FLUSH);
        plain += INFLATED - z.avail_out;
    }
    double seconds = now() - start;
    inflateEnd(&z);
    if (rc != Z_STREAM_END) {
        errno = EINVAL;
        die("inflate");
    }
    report(seconds, in.len, "plain_bytes", plain);
}

/* Memory in one row, begun anew for every packet. */
typedef struct arena {
    uint8_t *bytes;
    size_t used;
} arena;

static void *arena_alloc(void *ctx, size_t len)
{
    arena *a = ctx;
    size_t at = (a->used + 15) & ~(size_t)15;
    if (at + len > ARENA) {
        return NULL;
    }
    a->used = at + len;
    return a->bytes + at;
}

static void arena_free(void *ctx, void *p)
{
    (void)ctx, (void)p;
}

static void measure_unpack(input in, bool with_arena)
{
    arena a = {.bytes = malloc(ARENA)};
    ProtobufCAllocator in_arena = {arena_alloc, arena_free, &a};
    pf_cursor c = pf_cursor_over(in.bytes, in.len);
    pf_field f;
    uint64_t events = 0;
    if (!a.bytes) {
        die("unpack");
    }
    double start = now();
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag != PF_TAG_BYTES(PF_F_TRACE_PACKET)) {
            continue;
        }
        a.used = 0;
        Pf__Hot__TracePacket *p = pf__hot__trace_packet__unpack(with_arena ? &in_arena : NULL, f.len, f.bytes);
        events += p && p->track_event;
        if (!with_arena) {
            pf__hot__trace_packet__free_unpacked(p, NULL);
        }
    }
    report(now() - start, in.len, "events", events);
    free(a.bytes);
}

static void measure_copy(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    off_t len = in < 0 ? -1 : lseek(in, 0, SEEK_END);
    if (len <= 0) {
        die(from);
    }
    uint8_t *bytes = mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, in, 0);
    unlink(to);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (bytes == MAP_FAILED || out < 0) {
        die(to);
    }
    double start = now();
    for (off_t at = 0; at < len;) {
        ssize_t got = write(out, bytes + at, (size_t)(len - at));
        if (got <= 0) {
            die(to);
        }
        at += got;
    }
    close(out);
    report(now() - start, (size_t)len, "copied", (uint64_t)len);
    munmap(bytes, (size_t)len);
    close(in);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The command's two streams go nowhere. */
static double spawn_once(char **command, long *peak_kb)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    double start = now();
    errno = posix_spawnp(&child, command[0], &actions, NULL, command, environ);
    if (errno || wait4(child, &status, 0, &usage) != child) {
        die(command[0]);
    }
    double seconds = now() - start;
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0) {
        errno = ECHILD;
        die(command[0]);
    }
    *peak_kb = usage.ru_maxrss > *peak_kb ? usage.ru_maxrss : *peak_kb;
    return seconds;
}

static void measure_spawn(long count, char **command)
{
    double *seconds = count > 0 && count <= SPAWNS_MAX ? calloc((size_t)count, sizeof *seconds) : NULL;
    long peak_kb = 0;
    if (!seconds) {
        die("spawn");
    }
    for (long i = 0; i < count; i++) {
        seconds[i] = spawn_once(command, &peak_kb);
    }
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    printf("{\"seconds\": %.9f, \"least\": %.9f, \"runs\": %ld, \"peak_rss_kb\": %ld}\n", seconds[count / 2],
           seconds[0], count, peak_kb);
    free(seconds);
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    if (argc > 3 && strcmp(what, "spawn") == 0) {
        measure_spawn(strtol(argv[2], NULL, 10), argv + 3);
        return 0;
    }
    if (argc == 4 && strcmp(what, "copy") == 0) {
        measure_copy(argv[2], argv[3]);
        return 0;
    }
    if (argc != 3) {
        fputs(
            "usage: bench_floor framing|memcpy|inflate|unpack|unpack-arena FILE | copy FILE OUT | spawn N COMMAND...\n",
            stderr);
        return 2;
    }
    input in = read_all(argv[2]);
    if (strcmp(what, "framing") == 0) {
        measure_framing(in);
    } else if (strcmp(what, "memcpy") == 0) {
        measure_memcpy(in);
    } else if (strcmp(what, "inflate") == 0) {
        measure_inflate(in);
    } else if (strcmp(what, "unpack") == 0) {
        measure_unpack(in, false);
    } else if (strcmp(what, "unpack-arena") == 0) {
        measure_unpack(in, true);
    } else {
        fprintf(stderr, "bench_floor: there is no '%s'\n", what);
        free(in.bytes);
        return 2;
    }
    free(in.bytes);
    return 0;
}
