/* read/perfetto/packet_probe.h - whether the first bytes of an input are those of a binary trace. */
#ifndef PF_READ_PERFETTO_PACKET_PROBE_H
#define PF_READ_PERFETTO_PACKET_PROBE_H

#include "postfetto/author/reader.h"

/* There is nothing to see in a path. */
pf_probe pf_perfetto_probe(const uint8_t *head, size_t size, const char *path, bool is_directory);

#endif
