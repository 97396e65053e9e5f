/* edit/time_text.c - times of a window as people write them. */
#include "base/str.h"
#include "base/text/number.h"
#include "postfetto/author/option.h"
#include "postfetto/edit.h"

pf_status pf_edit_time_parse(const char *text, pf_edit_time *out, pf_error *err)
{
    static const pf_option duration = {.name = "time", .type = PF_OPTION_DURATION};
    bool from_start = *text == '+', from_end = *text == '-';
    const char *number = text + (from_start || from_end);
    pf_option_value v = {0};
    int64_t ns;
    if (pf_is_digit(*number) && pf_parse_int(number, strlen(number), &ns)) {
        v.i = ns;
    } else if (!pf_is_digit(*number) || pf_option_parse(&duration, number, &v, NULL) != PF_OK) {
        return pf_fail(err, PF_ERR_USAGE,
                       "'%s' is not a time; write a time of the trace (1.5s, 1500000000), +2s from its start or -500ms "
                       "from its end, in ns, us, ms or s",
                       text);
    }
    *out = (pf_edit_time){from_start ? PF_EDIT_FROM_START : from_end ? PF_EDIT_FROM_END : PF_EDIT_TRACE_TIME, v.i};
    return PF_OK;
}
