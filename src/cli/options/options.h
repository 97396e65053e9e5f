/* cli/options/options.h - the words of a command line, taken apart by option tables (postfetto/author/option.h).
 *
 * The tables come in groups: those of the command, whose values go into its settings (`target`), and those of a pass or
 * a reader, whose values stay in an array parallel to the table. No two of them have an option of one name or letter,
 * unless a group yields.
 *
 * Spelling: `--name VALUE`, `--name=VALUE`, `-x VALUE`, `-xVALUE`, flags may be bundled (`-qv`); names are
 * case-sensitive and never abbreviated; `--` ends the options; `-` alone is an operand (standard input or output).
 * Options may stand before, between and after the operands; of a repeated option the last one counts, unless its row
 * says that all do.
 */
#pragma once

#include "postfetto/author/pass.h"
#include "postfetto/author/reader.h"

typedef struct pf_cli_group {
    const char *title; /* heading in the help; NULL: they follow those of the group before */
    const pf_option *options;
    size_t count;
    void *target;            /* a structure; or NULL, and then: */
    pf_option_value *values; /* parallel to the options; the defaults are in them; or NULL: */
    bool of_reader;          /* what is given becomes a setting of the reader that `title` names */
    bool yields;             /* options that another group has, by name or letter, are that one's */
} pf_cli_group;

#define PF_CLI_GROUPS_MAX 32

typedef struct pf_cli_parser {
    const char *command; /* for error texts */
    pf_cli_group groups[PF_CLI_GROUPS_MAX];
    size_t group_count;
    pf_reader_setting *settings; /* in: room for argc of them */
    size_t setting_count;
    const char **operands; /* in: room for argc pointers */
    size_t operand_count;
    size_t before_dashes; /* operands in front of a "--", all where there is none */
} pf_cli_parser;

/* Adds a group whose values go into a structure, which gets the defaults of the rows, or into an array that has them.
 * Tables without options are left out. */
void pf_cli_parser_add(pf_cli_parser *p, const char *title, const pf_option *options, size_t count, void *target);
void pf_cli_parser_add_values(pf_cli_parser *p, const char *title, const pf_option *options, size_t count,
                              pf_option_value *values);

/* The same for options that give way to those of other groups. */
void pf_cli_parser_add_yielding(pf_cli_parser *p, const char *title, const pf_option *options, size_t count,
                                pf_option_value *values);

/* Adds the options of readers, NULL after the last, which may have options of one name. */
void pf_cli_parser_add_readers(pf_cli_parser *p, const pf_reader *(*reader_at)(size_t));

/* Releases the lists of options that were given several times. */
void pf_cli_parser_release(pf_cli_parser *p);

/* Checks every table and that no two of them have an option of one name or letter. */
pf_status pf_cli_parser_check(const pf_cli_parser *p, pf_error *err);

/* Whether an option of a group that may yield is that one's. */
bool pf_cli_parser_takes(const pf_cli_parser *p, size_t group, size_t option);

/* Parses argv[0..argc). PF_ERR_USAGE with a text that names the option, what it takes, or the nearest known one. */
pf_status pf_cli_parse(pf_cli_parser *p, int argc, char **argv, pf_error *err);

/* The index of the first operand, argc if there is none. An unknown option is skipped as a flag unless a pass, any
 * pass, knows it as an option with a value. */
int pf_cli_first_operand(const pf_cli_parser *p, int argc, char **argv);

/* Whether -h or --help stands in front of a "--". */
bool pf_cli_wants_help(int argc, char **argv);

/* ---- "did you mean": the known word nearest to a mistyped one ---------------------------------------------------- */

/* A running search: offer every candidate, then read `best` (NULL if none is near enough to be meant). */
typedef struct pf_cli_suggest {
    const char *typed;
    const char *best;
    size_t distance;
} pf_cli_suggest;

pf_cli_suggest pf_cli_suggest_start(const char *typed);
void pf_cli_suggest_offer(pf_cli_suggest *s, const char *candidate);

/* Edits (insert, delete, replace, swap of neighbours) that turn a into b; words over 63 bytes count as far away. */
size_t pf_cli_edit_distance(const char *a, const char *b);
