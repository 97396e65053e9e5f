/* analyze/neutrino/neutrino_pass.h - the pass over recordings of Neutrino. */
#ifndef PF_ANALYZE_NEUTRINO_NEUTRINO_PASS_H
#define PF_ANALYZE_NEUTRINO_NEUTRINO_PASS_H

#include "postfetto/author/pass.h"

extern const pf_pass pf_pass_neutrino;

#endif
