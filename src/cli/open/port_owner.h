/* cli/open/port_owner.h - who listens on a port of this machine. */
#ifndef PF_CLI_OPEN_PORT_OWNER_H
#define PF_CLI_OPEN_PORT_OWNER_H

#include <stddef.h>

/* Writes "NAME (pid N)", or "a process of another user" where the system does not say. */
void pf_port_owner(unsigned port, char *out, size_t room);

#endif
