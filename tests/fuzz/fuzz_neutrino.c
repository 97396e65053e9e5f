/* fuzz_neutrino.c - Neutrino recordings of any bytes: binary traces under every layout, logs, tables, .dmat files, and
 * the texts that maps come from; then every analysis of what was read, the enriched trace included. */
#include <string.h>

#include "memory_file.h"
#include "postfetto/postfetto.h"
#include "read/neutrino/kernel_schema.h"
#include "read/neutrino/probe_maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_texts(const uint8_t *data, size_t size)
{
    pf_budget budget;
    pf_arena arena;
    unsigned line;
    neutrino_map map;
    neutrino_kernel *kernel = malloc(sizeof *kernel);
    neutrino_maps *maps = malloc(sizeof *maps);
    char *text = malloc(size + 1); /* so that a byte past the end is one past the block */
    if (!kernel || !maps || !text) {
        abort();
    }
    memcpy(text, data, size);
    pf_budget_init(&budget, NULL);
    pf_arena_init(&arena, &budget);
    pf_neutrino_maps_of_toml((pf_str){text, size}, &arena, maps, &line);
    pf_neutrino_kernel_info((pf_str){text, size}, kernel);
    pf_neutrino_map_of_option((pf_str){text, size}, &map);
    kernel_schema schema;
    if (pf_kernel_schema_read((pf_str){text, size}, &schema, NULL) == PF_OK) {
        pf_kernel_apply_header(&schema, (const uint8_t *)text, size);
    }
    pf_kernel_schema_free(&schema);
    pf_arena_free(&arena);
    free(kernel);
    free(maps);
    free(text);
}

static pf_trace *read_file(const char *path, unsigned how)
{
    static const char *const layouts[] = {"v0", "v1", "v2", "hip"};
    static const char *const maps[] = {"a:warp:start=u64,elapsed=u32,cuid=u32", "b:thread:clock=u64,addr=u64",
                                       "c:thread:sync_bytes=u32,async_bytes=u32", "d:thread:count=u64",
                                       "e:thread:clock=u64"};
    pf_reader_setting settings[4];
    pf_read_options o = pf_read_options_default();
    pf_error err;
    pf_trace *t = NULL;
    if (how & 1) {
        settings[o.setting_count++] = (pf_reader_setting){"neutrino", "layout", layouts[how >> 1 & 3]};
    }
    for (unsigned i = 0; i < (how >> 3 & 3); i++) {
        settings[o.setting_count++] = (pf_reader_setting){"neutrino", "map", maps[((how >> 5) + i) % 5]};
    }
    o.settings = settings;
    o.input_format = "neutrino";
    o.limits.memory = MEMORY;
    o.limits.plain = 4u << 20;
    o.limits.hash_seed = 1; /* so that what is found is found again */
    o.jobs = 1;
    return pf_read(&path, 1, &o, &t, &err) == PF_OK ? t : NULL;
}

static void analyse(pf_trace *t)
{
    const pf_pass *p = pf_pass_find("neutrino");
    pf_option_value values[16] = {{.set = false}};
    pf_limits limits = pf_limits_default();
    pf_error err;
    limits.memory = MEMORY;
    limits.hash_seed = 1;
    if (!p || p->option_count > 16) {
        abort();
    }
    pf_pass_defaults(p, values);
    pf_findings *f = pf_findings_new(&limits);
    const pf_pass_context ctx = {.trace = t, .values = values, .input_path = "fuzz", .output = "x.pftrace"};
    if (f) {
        pf_pass_run(p, &ctx, f, &err);
    }
    pf_findings_free(f);
}

static void read_path(const char *path, unsigned how)
{
    pf_trace *t = read_file(path, how);
    if (t) {
        analyse(t);
        pf_trace_free(t);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char path[64];
    int fd = memory_file(data + 1, size - 1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_path(path, data[0]);
    read_texts(data + 1, size - 1);
    char link[64];
    snprintf(link, sizeof link, "/tmp/postfetto-fuzz-%d.dmat", (int)getpid());
    if (data[0] % 4 == 0 && symlink(path, link) == 0) {
        read_path(link, 0);
        unlink(link);
    }
    close(fd);
    return 0;
}
