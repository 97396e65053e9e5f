/* cli/server/rpc.h - what the server answers, without HTTP: one trace, one SQL session over it, and the messages of
 * Perfetto's Python package. All calls but pf_rpc_status are for one thread at a time. */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/files/file.h"
#include "postfetto/query.h"
#include "postfetto/read.h"
#include "postfetto/write.h"

typedef struct pf_rpc {
    pf_read_options read; /* of all traces; its limits are also those of queries */
    pf_write_options write;
    const char *scratch;                                         /* the folder for traces that are sent */
    pf_query_warning warn;                                       /* or NULL */
    pf_status (*prepare)(void *ctx, pf_query *q, pf_error *err); /* each session; or NULL */
    void *ctx;                                                   /* of both */

    const char *_Atomic file; /* that was read, or NULL: the trace was sent */
    _Atomic uint64_t loaded;  /* bytes of the trace and one more; 0: there is none */
    pf_trace *trace;          /* an empty one until one has come */
    pf_query *query;          /* NULL after a failure */
    pf_error failure;         /* of the last trace, which every query gets; code PF_OK: none */
    pf_spool upload;          /* what has come of a trace */
    bool receiving;           /* and more of it may */
} pf_rpc;

/* Where an answer goes, message by message. A status other than PF_OK ends the answer. */
typedef struct pf_rpc_reply {
    void *ctx;
    pf_status (*send)(void *ctx, const void *bytes, size_t len);
    const volatile int *cancel; /* not 0: give up, for one of these reasons; atomic */
} pf_rpc_reply;
enum { PF_RPC_ABANDONED = 1, PF_RPC_OVERDUE };

/* Reads a file, NULL: none. The settings are there, all else is 0; to be closed after a failure, too. */
pf_status pf_rpc_open(pf_rpc *r, const char *path, pf_error *err);
void pf_rpc_close(pf_rpc *r);

/* A piece of a trace, the first of a new one after pf_rpc_finish; failures wait for pf_rpc_put_received. */
void pf_rpc_receive(pf_rpc *r, const void *bytes, size_t len);

/* Reads what has come. */
void pf_rpc_finish(pf_rpc *r);

/* Forgets what clients have defined. */
void pf_rpc_restore(pf_rpc *r);

/* Append an answer: StatusResult; AppendTraceDataResult; of what is asked in an argument message. */
void pf_rpc_put_status(const pf_rpc *r, pf_buffer *out);
void pf_rpc_put_received(const pf_rpc *r, pf_buffer *out);
void pf_rpc_put_metric(pf_bytes args, pf_buffer *out);
void pf_rpc_put_summary(pf_buffer *out);
void pf_rpc_put_metatrace(pf_buffer *out);

/* Writes the whole trace in the format that ExportArgs name into the file fd, from its beginning. PF_ERR_USAGE: there
 * is no such format, or no trace. */
pf_status pf_rpc_export(pf_rpc *r, pf_bytes args, int fd, pf_error *err);

/* rpc_query.c: runs the statements of QueryArgs and sends QueryResults, a batch of rows in each; a failure is part of
 * the last one. args.ptr NULL: they were too long. */
void pf_rpc_query(pf_rpc *r, pf_bytes args, const pf_rpc_reply *reply);
