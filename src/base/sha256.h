/* base/sha256.h - SHA-256 (FIPS 180-4): names bytes that are too long to be shown. */
#ifndef PF_BASE_SHA256_H
#define PF_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* 64 hexadecimal digits and a NUL. */
void pf_sha256(const uint8_t *bytes, size_t len, char hex[65]);

#endif
