/* cli/options.h - the option tables of the commands. Parsing, help and error texts are all generated from them.
 *
 * An option is a row of a table and stores its value at `offset` of its group's target struct. The options of a pass
 * (postfetto/pass.h) are a second kind of table and are merged into the same parser.
 *
 * Spelling: `--name VALUE`, `--name=VALUE`, `-x VALUE`, `-xVALUE`, flags may be bundled (`-qv`); names are
 * case-sensitive and never abbreviated; `--` ends the options; `-` alone is an operand (standard input or output).
 * Options may stand before, between and behind the operands; of a repeated option the last one counts.
 */
#ifndef PF_CLI_OPTIONS_H
#define PF_CLI_OPTIONS_H

#include "postfetto/pass.h"

typedef enum pf_cli_type {
    PF_CLI_FLAG,   /* bool */
    PF_CLI_TEXT,   /* const char * */
    PF_CLI_CHOICE, /* const char *, one of `choices` */
    PF_CLI_NUMBER, /* uint64_t, decimal, at least 1 */
    PF_CLI_SIZE,   /* uint64_t, with K, M, G */
    PF_CLI_SMALL   /* uint32_t, with K, M, G */
} pf_cli_type;

typedef struct pf_cli_option {
    const char *name; /* without the two dashes */
    char letter;      /* short form, or 0 */
    pf_cli_type type;
    size_t offset;
    const char *value;    /* what help calls the value: "OUT", "N" */
    const char *choices;  /* CHOICE: separated by '|' */
    const char *fallback; /* the default as help says it; NULL: numbers show their present value, others nothing */
    const char *help;     /* one sentence without its full stop */
} pf_cli_option;

typedef struct pf_cli_group {
    const char *title; /* heading in the help */
    const pf_cli_option *options;
    size_t count;
    void *target; /* holds the defaults already */
} pf_cli_group;

#define PF_CLI_GROUPS_MAX 4

typedef struct pf_cli_parser {
    const char *command; /* for error texts */
    pf_cli_group groups[PF_CLI_GROUPS_MAX];
    size_t group_count;
    const pf_pass *pass;     /* NULL, or its options are accepted too */
    pf_option_value *values; /* of the pass */
    const char **operands;   /* in: room for argc pointers */
    size_t operand_count;
} pf_cli_parser;

void pf_cli_parser_add(pf_cli_parser *p, const char *title, const pf_cli_option *options, size_t count, void *target);

/* Parses argv[0..argc). PF_ERR_USAGE with a text that names the option, what it takes, or the nearest known one. */
pf_status pf_cli_parse(pf_cli_parser *p, int argc, char **argv, pf_error *err);

/* The index of the first operand, argc if there is none. An unknown option is skipped as a flag unless a pass, any
 * pass, knows it as an option with a value. */
int pf_cli_first_operand(const pf_cli_parser *p, int argc, char **argv);

/* Whether -h or --help stands in front of a "--". */
bool pf_cli_wants_help(int argc, char **argv);

#endif
