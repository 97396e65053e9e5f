/* read/visit_input.c - visiting an input as the document it is, by its reader. */
#include "read/support/reader.h"

pf_status pf_visit_input(const pf_trace *t, size_t input, const pf_arg_visitor *v, pf_error *err)
{
    const pf_input *in = input < pf_trace_input_count(t) ? pf_trace_input(t, input) : NULL;
    const pf_reader *reader = in ? pf_reader_find(in->format) : NULL;
    const pf_kept *k = in ? pf_kept_find(t, in->path) : NULL;
    if (!reader || !reader->visit || !k) {
        return pf_fail(err, PF_ERR_USAGE, "there is no input of that number whose format is a document");
    }
    pf_status st = reader->visit(t, k->bytes, v, err);
    if (st != PF_OK && st != PF_ERR_OUTPUT) {
        pf_error_in(err, in->path);
    }
    return st;
}
