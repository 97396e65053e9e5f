/* json/fast/args_templates.h - args that are built like earlier ones; part of event_fast.h.
 *
 * The args of events of one kind have the same keys and brackets, and values that differ a little:
 *
 *     {"External id":24323,"cbid":211,"correlation":24323}
 *     {"External id":24325,"cbid":211,"correlation":24325}
 *
 * So each lead (event_templates.h) remembers the args that its events had last, once they were read to their end. The
 * next ones are compared with them, 32 bytes at a time, all digits counting as equal. Where nothing else differs their
 * structure is the same and they end where those do. What differs is let pass if it is the rest of a text, which ends
 * at the next quote in both, or of a number, which goes on as long as the word does: then both are equal again or the
 * args are read as if there were no others. Where that happens more than once the later args are remembered instead, as
 * long as a piece has not done that too often: as long as lengths do not change, no value has to be found before the
 * next can be begun.
 *
 * That a number or a text begins here is known from the earlier args, which were read by hot_object_end and are equal
 * up to here but for other values. Args with a backslash are not remembered, so none is passed over.
 */

/* After the word that p stands in, at most 32 bytes further. */
static HOT_INLINE const uint8_t *hot_word_rest(const uint8_t *p)
{
    p += pf_json_digit_run(pf_json_load8(p));
    for (unsigned n = 0; pf_json_word_byte[*p] && n < 24; n++) {
        p++;
    }
    return p;
}

/* *p and s->bytes[*i] differ. Passes over the rest of the text or number that they stand in; false if they stand in
 * none. */
static __attribute__((noinline)) bool hot_pass_value(const pf_json_shape *s, const uint8_t **p, uint32_t *i)
{
    const uint8_t *other = s->bytes + *i;
    if (s->in_text[*i / 32] >> *i % 32 & 1) {
        uint32_t stops = kernel_stops(*p), ends = kernel_stops(other);
        if (!stops || !ends || (*p)[__builtin_ctz(stops)] != '"') {
            return false;
        }
        *p += __builtin_ctz(stops);
        *i += (uint32_t)__builtin_ctz(ends);
        return true;
    }
    if ((unsigned)(other[-1] - '0') > 9) {
        return false;
    }
    const uint8_t *q = hot_word_rest(*p), *after = hot_word_rest(other);
    bool moved = q > *p || after > other;
    *p = q;
    *i += (uint32_t)(after - other);
    return moved;
}

/* The byte after the args at p if they are built like those of the shape, else NULL. *passed counts what is otherwise;
 * *alike: bytes before that. */
static HOT_INLINE const uint8_t *hot_shape_end(const pf_json_shape *s, const uint8_t *p, const uint8_t *end,
                                               unsigned *passed, uint32_t *alike)
{
    uint32_t i = 0, left = s->len;
    *alike = 0;
    while (left > 0 && end - p > (ptrdiff_t)left + 32) {
        uint32_t unlike = kernel_unlike(p, s->kinds + i);
        while (left > 32 && unlike == 0) {
            p += 32;
            i += 32;
            left -= 32;
            unlike = kernel_unlike(p, s->kinds + i);
        }
        if (left <= 32) {
            unlike &= ~0u >> (32 - left);
            if (unlike == 0) {
                *alike = *passed ? *alike : s->len;
                return p + left;
            }
        }
        p += __builtin_ctz(unlike);
        i += (uint32_t)__builtin_ctz(unlike);
        *alike = ++*passed == 1 ? i : *alike;
        if (i == 0 || !hot_pass_value(s, &p, &i) || i >= s->len) {
            break;
        }
        left = s->len - i;
    }
    return NULL;
}

/* The first byte from `from` on that is inside of a text, or with `inside` false outside; s->len: none. */
static inline uint32_t hot_next_text(const pf_json_shape *s, uint32_t from, bool inside)
{
    while (from < s->len) {
        uint32_t bits = (inside ? s->in_text[from / 32] : ~s->in_text[from / 32]) >> from % 32;
        if (bits) {
            return from + (uint32_t)__builtin_ctz(bits);
        }
        from = (from | 31) + 1;
    }
    return s->len;
}

/* Notes a number at s->bytes[at] for the names that are called so; false if it is not plain, or of a name that has one.
 */
static inline bool hot_learn_number(pf_json_shape *s, const pf_early_names *names, pf_str called, uint32_t at,
                                    unsigned *left)
{
    unsigned digits = pf_json_digit_run(pf_json_load8(s->bytes + at));
    for (unsigned n = 0; n < names->count; n++) {
        unsigned k = n + 1 < names->count ? n : PF_EARLY_LAST;
        if (!pf_str_equal(names->name[n], called)) {
            continue;
        }
        if (s->number[k].digits || digits == 0 || (s->bytes[at + digits] != ',' && s->bytes[at + digits] != '}')) {
            return false;
        }
        s->number[k].at = (uint16_t)at;
        s->number[k].digits = (uint16_t)digits;
        s->has |= 1u << k;
        s->known = --*left ? 0 : at + digits + 1;
    }
    return true;
}

/* Where the numbers of the names are. A key is what stands in quotes before a colon. The search goes up to the last of
 * the names or the first bracket; what is not written without blanks is left alone. */
static inline void hot_learn_numbers(pf_json_shape *s, const pf_early_names *names)
{
    unsigned left = names->count;
    memset(s->number, 0, sizeof s->number);
    s->has = s->said_in = 0;
    for (uint32_t from, close = 1; left && (from = hot_next_text(s, close, true)) < s->len;) {
        close = hot_next_text(s, from, false);
        const uint8_t *value = s->bytes + close + 1 + (s->bytes[close + 1] == ' ');
        const pf_str called = {(const char *)s->bytes + from, close - 1 - from};
        if (s->bytes[close] == ',' || s->bytes[close] == '}') {
            continue; /* it was a value */
        }
        if (s->bytes[close] != ':' || *value == '[' || *value == '{' ||
            !hot_learn_number(s, names, called, (uint32_t)(value - s->bytes), &left)) {
            return;
        }
    }
    s->known = left ? s->len : s->known;
}

/* The digits of one of the numbers of args at p, 0 where there is none. */
static HOT_INLINE uint64_t hot_digits(const pf_json_shape *s, const uint8_t *p, unsigned k)
{
    unsigned digits = s->number[k].digits;
    return digits ? pf_json_load8(p + s->number[k].at) << (64 - 8 * digits) : 0;
}

/* Lists what all names but the last say; false where a number begins with a zero. */
static __attribute__((noinline)) bool hot_list_said(pf_json_piece *piece, pf_json_shape *s, const uint8_t *p)
{
    pf_early_said said = {.has = s->has};
    s->said_in = 0;
    for (unsigned k = 0; k < PF_EARLY_LAST; k++) {
        const uint8_t *number = p + s->number[k].at;
        unsigned digits = s->number[k].digits;
        if (digits > 1 && *number == '0') {
            return false;
        }
        said.number[k] = digits ? (uint32_t)pf_json_digit_number(pf_json_load8(number), digits) : 0;
        s->digits[k] = hot_digits(s, p, k);
    }
    s->said = piece->said_count;
    s->said_in = piece->number;
    piece->said[piece->said_count++] = said;
    return true;
}

/* Lists the numbers of args at p whose first `alike` bytes are built like those of the shape. */
static HOT_INLINE void hot_find_numbers(pf_json_piece *piece, pf_json_shape *s, const uint8_t *p, uint32_t alike)
{
    const uint8_t *last = p + s->number[PF_EARLY_LAST].at;
    unsigned digits = s->number[PF_EARLY_LAST].digits;
    if (s->known == 0 || alike < s->known || piece->found_count == PF_JSON_RECORDS || (digits > 1 && *last == '0')) {
        return;
    }
    uint64_t unlike = s->said_in ^ piece->number;
    for (unsigned k = 0; k < PF_EARLY_LAST; k++) {
        unlike |= s->digits[k] ^ hot_digits(s, p, k);
    }
    if (unlike && !hot_list_said(piece, s, p)) {
        return;
    }
    pf_early_event *e = &piece->found[piece->found_count++];
    e->args = (uint32_t)(p - piece->base);
    e->last = digits ? (uint32_t)pf_json_digit_number(pf_json_load8(last), digits) : 0;
    e->said = s->said;
}

/* Remembers the args at [p, q), which hot_object_end has read. The first `alike` bytes are built like those before. */
static __attribute__((noinline)) void hot_learn_shape(pf_json_shape *s, const uint8_t *p, const uint8_t *q,
                                                      uint64_t values, const pf_early_names *names, uint32_t alike)
{
    size_t len = (size_t)(q - p);
    uint32_t known = alike < s->known ? 0 : s->known;
    s->len = s->known = 0;
    if (len > PF_JSON_SHAPE || values == 0 || memchr(p, '\\', len)) {
        return;
    }
    memcpy(s->bytes, p, len);
    uint32_t before = 0;
    for (size_t i = 0; i < len; i += 32) {
        uint32_t in_text = kernel_stops(s->bytes + i) << 1 ^ before;
        for (unsigned k = 1; k < 32; k *= 2) {
            in_text ^= in_text << k;
        }
        s->in_text[i / 32] = in_text;
        before = in_text >> 31 ^ kernel_stops(s->bytes + i) >> 31;
        kernel_kinds(s->bytes + i, s->kinds + i);
    }
    s->len = (uint32_t)len;
    s->values = (uint32_t)values;
    s->known = known;
    if (names->count && !known) {
        hot_learn_numbers(s, names);
    }
}

/* hot_args_end for an event with this lead. */
static HOT_INLINE const uint8_t *hot_shaped_args(pf_json_piece *piece, const pf_json_span *lead,
                                                 const pf_json_rules *rules, const uint8_t *p, const uint8_t *end,
                                                 pf_json_head *head, uint64_t *values)
{
    pf_json_shape *s = &piece->shape[lead->shape];
    unsigned passed = 0;
    uint32_t alike;
    const uint8_t *q = hot_shape_end(s, p, end, &passed, &alike);
    bool fits = q && passed < 2;
    *values = s->values;
    if (__builtin_expect(!q, 0)) {
        q = hot_args_end(rules, p, end, head, values);
    }
    if (!fits && q < end && piece->shapes_learned++ < PF_JSON_SHAPES_LEARNED_MAX) {
        hot_learn_shape(s, p, q, *values, &rules->names, alike);
        alike = s->len;
    }
    hot_find_numbers(piece, s, p, alike);
    return q;
}
