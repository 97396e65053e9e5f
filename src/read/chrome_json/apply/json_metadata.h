/* read/chrome_json/apply/json_metadata.h - the keys next to the events. */
#ifndef PF_READ_CHROME_JSON_APPLY_JSON_METADATA_H
#define PF_READ_CHROME_JSON_APPLY_JSON_METADATA_H

#include "model/trace/trace.h"
#include "read/chrome_json/scan/json_record.h"

/* Adds what an outer key says. The members of the object "metadata" become rows json_metadata.MEMBER, any other key a
 * row json.KEY: booleans as 0 and 1, integers, other numbers and texts as text, objects and arrays as their JSON text;
 * null adds nothing. */
pf_status pf_json_add_metadata(pf_trace *t, const pf_json_text *key, const pf_json_text *value, pf_error *err);

#endif
