/* model/documents/document_members.h - the members next to the events of several JSON documents in one document.
 *
 * Each input has its own displayTimeUnit, otherData and so on. The first input's stay as they are. What a later one
 * says with the same words is written once; what it says otherwise gets the number of its input, as in "otherData (2)",
 * since readers of JSON see one member of a name.
 */
#ifndef PF_MODEL_DOCUMENTS_DOCUMENT_MEMBERS_H
#define PF_MODEL_DOCUMENTS_DOCUMENT_MEMBERS_H

#include "base/buffer.h"
#include "base/map.h"
#include "model/trace/trace.h"

typedef struct pf_document_members {
    const pf_trace *t;
    pf_map first;   /* hash of a member's name -> the first leftover that has it */
    pf_buffer text; /* of a member with another name */
} pf_document_members;

void pf_document_members_init(pf_document_members *d, const pf_trace *t, pf_budget *budget);
void pf_document_members_free(pf_document_members *d);

/* Leftover `i` of a document: an object of one member, valid until the next call; {NULL, 0} if an earlier input has it.
 * Leftovers must come in their order. */
pf_str pf_document_member(pf_document_members *d, uint32_t i);

/* The name in {"name": value} as it is spelled, without its quotes; empty if the text is no such object. */
pf_str pf_document_member_name(pf_str object);

#endif
