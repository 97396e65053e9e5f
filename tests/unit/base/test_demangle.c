/* test_demangle.c - names of C++ as their source has them; hostile ones stay as they are. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/demangle.h"

static void expect(pf_demangler *d, const char *name, const char *written)
{
    char *found = pf_demangle(d, (pf_str){name, strlen(name)});
    cr_expect(written ? found && strcmp(found, written) == 0 : !found, "%s: %s", name, found ? found : "none");
    free(found);
}

Test(demangle, names)
{
    pf_demangler d = {0};
    expect(&d, "_Z3addPfi", "add(float*, int)");
    expect(&d, "_ZN4math3dotIfLi4EEEvPKT_", "void math::dot<float, 4>(float const*)");
    expect(&d, "_Z1fIJifEEvDpT_", "void f<int, float>(int, float)");
    expect(&d, "add", NULL);
    expect(&d, "_Z", NULL);
    expect(&d, "_Z3add\"", NULL);
    expect(&d, "_ZN2at6native29vectorized", NULL);
}

Test(demangle, names_that_stand_for_gigabytes, .timeout = 20)
{
    pf_demangler d = {0};
    char name[1200] = "_Z1fISt4pairIiiE";
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t i = 0; i < 30; i++) {
        const char pair[] = {'S', 't', '4', 'p', 'a', 'i', 'r', 'I', 'S', digits[i], '_', 'S', digits[i], '_', 'E', 0};
        strcat(name, pair);
    }
    expect(&d, strcat(name, "Evv"), NULL);
    memset(name, 'P', 1100);
    memcpy(name, "_Z1f", 4);
    name[1100] = '\0';
    expect(&d, name, NULL);
    expect(&d, "_Z1fIJiiiiEJiiiiEEvDpDpDpT_", NULL);
}
