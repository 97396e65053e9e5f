/* model/trace/aie_names.c - see aie_names.h. */
#include "model/trace/aie_names.h"

#include <string.h>

/* A tool's word ends the name or is followed by " for ", and nothing that could belong to it stands before. */
static bool has_tool_word(pf_str name, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= name.len; i++) {
        if (memcmp(name.ptr + i, word, len) != 0) {
            continue;
        }
        char before = i ? name.ptr[i - 1] : ' ';
        size_t rest = name.len - i - len;
        if ((before == ' ' || before == ':' || before == '/') &&
            (rest == 0 || (rest >= 5 && memcmp(name.ptr + i + len, " for ", 5) == 0))) {
            return true;
        }
    }
    return false;
}

bool pf_is_aie_process(pf_str name)
{
    return has_tool_word(name, "core_trace") || has_tool_word(name, "mem_trace") || has_tool_word(name, "shim_trace") ||
           has_tool_word(name, "memtile_trace");
}
