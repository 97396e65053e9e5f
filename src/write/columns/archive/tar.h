/* write/columns/archive/tar.h - members of a TAR: a header of 512 bytes, the data, zeros up to a multiple of 512; two
 * empty blocks are the end. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PF_TAR_BLOCK 512u
#define PF_TAR_END (2u * PF_TAR_BLOCK)

static inline uint64_t pf_tar_padded(uint64_t size)
{
    return (size + PF_TAR_BLOCK - 1) / PF_TAR_BLOCK * PF_TAR_BLOCK;
}

/* The header of a file that anybody may read, of no time and no owner. The name has at most 99 bytes; sizes from 8 GiB
 * on are binary (base-256). */
static inline void pf_tar_header(char header[PF_TAR_BLOCK], const char *name, uint64_t size)
{
    enum { NAME = 0, MODE = 100, UID = 108, GID = 116, SIZE = 124, TIME = 136, SUM = 148, TYPE = 156, MAGIC = 257 };
    unsigned sum = 0;
    memset(header, 0, PF_TAR_BLOCK);
    snprintf(header + NAME, 100, "%s", name);
    memcpy(header + MODE, "0000644", 8);
    memcpy(header + UID, "0000000", 8);
    memcpy(header + GID, "0000000", 8);
    if (size >> 33) {
        header[SIZE] = (char)0x80;
        for (int i = 0; i < 8; i++) {
            header[SIZE + 11 - i] = (char)(size >> 8 * i);
        }
    } else {
        snprintf(header + SIZE, 12, "%011llo", (unsigned long long)size);
    }
    memcpy(header + TIME, "00000000000", 12);
    memset(header + SUM, ' ', 8);
    header[TYPE] = '0';
    memcpy(header + MAGIC, "ustar", 6);
    header[MAGIC + 6] = header[MAGIC + 7] = '0'; /* the version */
    for (size_t i = 0; i < PF_TAR_BLOCK; i++) {
        sum += (unsigned char)header[i];
    }
    snprintf(header + SUM, 7, "%06o", sum);
}
