/* postfetto/author/option.h - options as data: one type for commands, passes and readers.
 *
 * An option is a row of a table. Parsing, checking, help, completion words and documentation are all made from the
 * table; nobody writes a parser. A value is held by a pf_option_value, parallel to the table; a command can also bind
 * an option to a member of its own structure (`offset`, pf_option_store).
 */
#ifndef POSTFETTO_OPTION_H
#define POSTFETTO_OPTION_H

#include "postfetto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pf_option_type {
    PF_OPTION_FLAG = 0, /* takes no value */
    PF_OPTION_INT,      /* decimal integer, int64 */
    PF_OPTION_REAL,     /* decimal number, finite */
    PF_OPTION_TEXT,     /* any text, also an empty one */
    PF_OPTION_PATH,     /* a file or folder; not empty */
    PF_OPTION_CHOICE,   /* one of `choices` */
    PF_OPTION_SET,      /* some of `choices`, separated by commas */
    PF_OPTION_SIZE,     /* not negative, with K, M or G (powers of 1024) after it if wanted */
    PF_OPTION_DURATION  /* a decimal number and its unit, ns, us, ms, s, m, h or d: "1.5s"; stored in ns. 0 needs none
                         */
} pf_option_type;
#define PF_OPTION_TYPES (PF_OPTION_DURATION + 1)

/* What else is true of an option (pf_option.traits). */
enum {
    PF_OPTION_REQUIRED = 1u << 0,   /* there is no default: it must be given */
    PF_OPTION_REPEATABLE = 1u << 1, /* may be given several times; all values count, in their order */
    PF_OPTION_WORDS = 1u << 2,      /* takes several words at once, up to the next option: "-C power bandwidth" */
    PF_OPTION_HIDDEN = 1u << 3      /* in no help and no completion */
};

typedef struct pf_option {
    const char *name; /* without the two dashes; case matters (--M and --m are two options) */
    char letter;      /* the short form, or 0 */
    pf_option_type type;
    size_t offset;         /* pf_option_store: where the value belongs; else 0 */
    const char *value;     /* what help calls the value ("OUT"); NULL: a word for the type */
    const char *choices;   /* CHOICE, SET: separated by '|'; else NULL */
    const char *otherwise; /* what help says happens where the option is not given; NULL: `fallback` */
    const char *help;      /* one sentence without its full stop */
    const char *fallback;  /* the default as text, parsed like a value; NULL or "": none */
    const char *unit;      /* of a number, shown in help; NULL or "": none */
    const char *within; /* INT, REAL, SIZE, DURATION (each as the option is written): "1..", "0..4", "..100"; a '>' in
                         * front excludes the least value: ">0.."; NULL: anything */
    unsigned traits;    /* PF_OPTION_REQUIRED, ... */
    const char *also;   /* another name that works, too; NULL: none */
} pf_option;

typedef struct pf_option_value {
    bool set;                          /* given, not a default */
    bool b;                            /* FLAG */
    int64_t i;                         /* INT; DURATION in ns; CHOICE: its index */
    uint64_t u;                        /* SIZE; SET: bit n for the n-th choice */
    double d;                          /* REAL; INT as a double */
    pf_str s;                          /* TEXT, PATH, CHOICE, SET: the text, terminated; ptr NULL without a value */
    const struct pf_option_value *all; /* REPEATABLE, WORDS: all that were given; the fields above are the last */
    size_t count;                      /* of `all` */
} pf_option_value;

/* Checks a table as it is registered: names and letters well made and none twice, choices where they belong, defaults
 * and limits that parse. PF_ERR_INTERNAL with the name of the option and what is wrong with its row. */
PF_API pf_status pf_options_check(const pf_option *options, size_t count, pf_error *err);

/* Checks that no option of `inner` has the name or letter of an option of `outer`. PF_ERR_INTERNAL. */
PF_API pf_status pf_options_check_apart(const pf_option *outer, size_t outer_count, const pf_option *inner,
                                        size_t inner_count, pf_error *err);

/* The index of the option with this name (`len` bytes), or with this letter; `count` if there is none. */
PF_API size_t pf_options_find(const pf_option *options, size_t count, const char *name, size_t len);
PF_API size_t pf_options_find_letter(const pf_option *options, size_t count, char letter);

/* Whether the value may be given in several parts, in `all`. */
static inline bool pf_option_is_list(const pf_option *o)
{
    return (o->traits & (PF_OPTION_REPEATABLE | PF_OPTION_WORDS)) && o->type != PF_OPTION_FLAG;
}

/* Fills `values` with the defaults. */
PF_API void pf_option_defaults(const pf_option *options, size_t count, pf_option_value *values);

/* Parses one value; PF_ERR_USAGE names the option and what it takes, and leaves *v alone. `text` must outlive the
 * value; it is NULL for flags. A repeated option replaces its value, or adds one if its row says so; then the value
 * must be released. */
PF_API pf_status pf_option_parse(const pf_option *o, const char *text, pf_option_value *v, pf_error *err);

/* Whether the text is a value of the option, without a message. */
PF_API bool pf_option_accepts(const pf_option *o, const char *text);

/* Releases the lists of values that were given several times. */
PF_API void pf_options_release(pf_option_value *values, size_t count);

/* Checks that every required option is set: PF_ERR_USAGE lists all that are missing. */
PF_API pf_status pf_options_complete(const pf_option *options, size_t count, const pf_option_value *values,
                                     pf_error *err);

/* Puts a value into the member of `target` at the option's offset. The member's type: FLAG bool, INT and DURATION
 * int64_t, REAL double, SIZE and SET uint64_t, TEXT, PATH and CHOICE const char *; lists pf_option_value. */
PF_API void pf_option_store(const pf_option *o, const pf_option_value *v, void *target);

/* What help calls the value: the row's word, the choices, or a word for the type; "" for flags. */
PF_API const char *pf_option_value_word(const pf_option *o);

/* "flag", "integer", "real", ...: the type as documents name it. */
PF_API const char *pf_option_type_name(pf_option_type type);

#ifdef __cplusplus
}
#endif
#endif
