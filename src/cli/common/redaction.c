/* cli/common/redaction.c - see redaction.h. */
#include "cli/common/redaction.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "base/text/errno_text.h"

/* What the file holds, up to the room for it. */
static pf_status read_key(pf_cli_run *run, const char *path, pf_cli_redaction *r)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;
    size_t len = 0;
    while (fd >= 0 && len < sizeof r->key && (got = read(fd, r->key + len, sizeof r->key - len)) > 0) {
        len += (size_t)got;
    }
    int error = errno;
    if (fd >= 0) {
        close(fd);
    }
    if (fd < 0 || got < 0) {
        return pf_cli_usage(run, "--redact-key %s: %s; make a key with head -c 32 /dev/urandom >%s", path,
                            pf_errno_text(error), path);
    }
    if (len < PF_REDACT_KEY_MIN) {
        return pf_cli_usage(run,
                            "--redact-key %s has %zu bytes, but a key needs %d; make one with head -c 32 /dev/urandom",
                            path, len, PF_REDACT_KEY_MIN);
    }
    r->options.key = (pf_bytes){r->key, len};
    return PF_OK;
}

pf_status pf_cli_redact(pf_cli_run *run, const pf_cli_redact_settings *set, pf_cli_redaction *r)
{
    *r = (pf_cli_redaction){.options.what = (uint32_t)set->what};
    if (!set->what) {
        return set->key || set->keep.count ? pf_cli_usage(run, "%s needs --redact; add --redact names,args,paths",
                                                          set->key ? "--redact-key" : "--keep")
                                           : PF_OK;
    }
    r->asked = &r->options;
    r->keep = calloc(set->keep.count + 1, sizeof *r->keep);
    if (!r->keep) {
        return pf_fail(&run->err, PF_ERR_MEMORY, "the system refused memory; close other programs");
    }
    for (size_t i = 0; i < set->keep.count; i++) {
        r->keep[i] = set->keep.all[i].s.ptr;
    }
    r->options.keep = r->keep;
    r->options.keep_count = set->keep.count;
    return set->key ? read_key(run, set->key, r) : PF_OK;
}

void pf_cli_redaction_free(pf_cli_redaction *r)
{
    free(r->keep);
}

static void note_redacted(pf_cli_run *run, const pf_cli_redaction *r, const pf_redact_result *result)
{
    if (!r->asked) {
        return;
    }
    pf_cli_note(run, run->set->out, "%llu strings became hashes%s", (unsigned long long)result->texts,
                r->options.key.ptr ? "" : " under a random key, which fit no other run; --redact-key names a key");
    if (result->packets || result->parts) {
        pf_cli_note(
            run, run->set->out,
            "what is not understood was left out, since it may hold strings: %llu packets, %llu parts of others",
            (unsigned long long)result->packets, (unsigned long long)result->parts);
    }
}

/* What is not there is left out of the document. */
static pf_status put_document(pf_cli_run *run, const pf_cut_result *r, const pf_cli_redaction *redaction,
                              const char *window, uint32_t parts)
{
    const pf_cli_number numbers[] = {{"packets", r->packets},         {"packets_kept", r->kept},
                                     {"packets_changed", r->changed}, {"packets_added", r->added},
                                     {"slices_begun", r->begun},      {"slices_ended", r->ended},
                                     {"input_bytes", r->bytes_in},    {"output_bytes", run->written}};
    const pf_cli_number redacted[] = {
        {"strings", r->redacted.texts}, {"packets", r->redacted.packets}, {"parts", r->redacted.parts}};
    pf_node *root = pf_cli_new_document(run);
    pf_findings *f = run->findings;
    pf_node_add_text(f, root, PF_STR("input"), pf_str_of(run->operands[0]));
    pf_node_add_text(f, root, PF_STR("output"), pf_str_of(run->set->out));
    if (window) {
        pf_node_add_text(f, root, PF_STR("window"), pf_str_of(window));
    }
    if (r->from != INT64_MIN) {
        pf_node_add_int(f, root, PF_STR("from_ns"), r->from);
    }
    if (r->to != INT64_MAX) {
        pf_node_add_int(f, root, PF_STR("to_ns"), r->to);
    }
    if (parts) {
        pf_node_add_int(f, root, PF_STR("parts"), parts);
    }
    pf_cli_add_numbers(run, root, numbers, sizeof numbers / sizeof *numbers);
    if (redaction->asked) {
        pf_node *node = pf_node_add(f, root, PF_STR("redacted"), PF_NODE_OBJECT);
        pf_cli_add_numbers(run, node, redacted, sizeof redacted / sizeof *redacted);
    }
    pf_cli_add_damage(f, root, run->trace);
    return pf_cli_put_document(run, NULL, root);
}

pf_status pf_cli_put_cut(pf_cli_run *run, const pf_cut_result *r, const pf_cli_redaction *redaction, const char *window,
                         uint32_t parts)
{
    run->trace = r->input;
    pf_cli_warn_of_damage(run, run->trace);
    note_redacted(run, redaction, &r->redacted);
    return run->set->json ? put_document(run, r, redaction, window, parts) : PF_OK;
}
