/* cli/server/origins.c - whom the server answers.
 *
 * A browser says in Origin which page asks; programs say nothing. A page may also be asked for by a name of its own
 * that was bound to this machine's address: then it is the same origin, and Host has that name. Names of this machine
 * are served, and where it serves other machines, addresses in digits, which nobody can bind.
 */
#include <arpa/inet.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/server/server.h"

/* Whether they are equal but for the case of letters. */
static bool is_same(pf_str a, pf_str b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && pf_lower(a.ptr[i]) == pf_lower(b.ptr[i])) {
        i++;
    }
    return i == a.len && i == b.len;
}

bool pf_server_allows(const pf_server *s, const char *origin)
{
    static const char PERFETTO[] = "https://ui.perfetto.dev,http://localhost:10000,http://127.0.0.1:10000";
    const char *const lists[] = {PERFETTO, s->origins ? s->origins : ""};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (const char *at = lists[i]; *at;) {
            size_t len = strcspn(at, ",");
            pf_str allowed = pf_str_trim((pf_str){at, len});
            if (allowed.len && is_same(allowed, pf_str_of(origin))) {
                return true;
            }
            at += len + (at[len] == ',');
        }
    }
    return false;
}

static bool is_address(pf_str name)
{
    char text[INET6_ADDRSTRLEN];
    unsigned char bytes[sizeof(struct in6_addr)];
    if (name.len >= sizeof text) {
        return false;
    }
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

bool pf_server_knows_host(const pf_server *s, const char *host)
{
    static const char *const OURS[] = {"localhost", "127.0.0.1", "::1"};
    if (!host) {
        return true;
    }
    pf_str name = pf_str_of(host);
    if (*host == '[') {
        name = (pf_str){host + 1, strcspn(host + 1, "]")};
    } else {
        name.len = strcspn(host, ":");
    }
    bool known = is_same(name, pf_str_of(s->address));
    for (size_t i = 0; i < sizeof OURS / sizeof *OURS; i++) {
        known |= is_same(name, pf_str_of(OURS[i]));
    }
    char machine[256] = "";
    bool for_all = strcmp(s->address, "0.0.0.0") == 0 || strcmp(s->address, "::") == 0;
    if (!known && for_all) {
        known =
            is_address(name) || (gethostname(machine, sizeof machine - 1) == 0 && is_same(name, pf_str_of(machine)));
    }
    return known;
}
