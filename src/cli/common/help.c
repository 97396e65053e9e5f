/* cli/common/help.c - every help page has the same order: what it is, two examples, usage, explanation, options. An
 * option is one line, `  -o, --output OUT   text`, wrapped under the text at 80 columns; what a number is by default is
 * read out of the settings that the parser would fill. */
#include "cli/common/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXT_COLUMN 26

static const char introduction[] = "reads a performance trace, measures the accelerator in it\n"
                                   "and writes the findings back into the trace\n"
                                   "\n"
                                   "Examples:\n"
                                   "  postfetto info trace.json.gz\n"
                                   "  postfetto analyze gpu trace.json.gz --html page.html -o enriched.pftrace\n"
                                   "\n";

static const char conventions[] =
    "'postfetto --version [--json]' shows the version and the features that are built in.\n"
    "\n"
    "Inputs are recognised by their content, plain or compressed; '-' stands for\n"
    "standard input or output. Data goes to standard output, all else to standard\n"
    "error. Colours are used on a terminal only, and not where NO_COLOR is set.\n"
    "\n"
    "Exit codes:\n"
    "  0  done\n"
    "  1  a finding: 'check' met data loss or errors\n"
    "  2  wrong usage\n"
    "  3  the input cannot be read or is not a trace\n"
    "  4  the input is damaged, with --strict\n"
    "  5  a limit was exceeded (--max-...)\n"
    "  6  the output could not be written; nothing was left behind\n";

/* Goes on to the column of texts, after the left part of a line, which begins at `from`. */
static void go_to_text(pf_buffer *b, size_t from)
{
    size_t used = b->len - from;
    bool fits = used + 2 <= TEXT_COLUMN;
    pf_buffer_format(b, "%s%*s", fits ? "" : "\n", (int)(fits ? TEXT_COLUMN - used : TEXT_COLUMN), "");
}

/* A command or a pass with its summary. */
static void put_named(pf_buffer *b, const char *name, const char *summary)
{
    size_t from = b->len;
    pf_buffer_format(b, "  %s", name);
    go_to_text(b, from);
    pf_cli_put_wrapped(b, summary, TEXT_COLUMN, TEXT_COLUMN);
    pf_buffer_put(b, "\n", 1);
}

/* "postfetto NAME - what it does" and the heading of the examples. */
static void put_title(pf_buffer *b, const char *command, const char *pass, const char *summary)
{
    pf_buffer title = {0};
    pf_buffer_format(&title, "postfetto %s%s%s - %s", command, pass ? " " : "", pass ? pass : "", summary);
    pf_cli_put_wrapped_buffer(b, &title, 0, 2);
    pf_buffer_text(b, "\n\nExamples:\n");
}

static void put_paragraphs(pf_buffer *b, const char *text)
{
    while (text && *text) {
        size_t len = strcspn(text, "\n");
        pf_buffer part = {0};
        pf_buffer_put(&part, text, len);
        pf_buffer_put(b, "\n", 1);
        pf_cli_put_wrapped_buffer(b, &part, 0, 0);
        pf_buffer_put(b, "\n", 1);
        text += len + (text[len] == '\n');
    }
}

/* What is taken where the option is not given: what the row says, or what the settings hold before parsing, if that
 * could be written: else it says that nothing was. */
static void put_default(pf_buffer *b, const pf_option *o, const char *target)
{
    char digits[24];
    uint64_t number = 0;
    if (o->traits & PF_OPTION_REQUIRED) {
        pf_buffer_text(b, " (required)");
    } else if (o->otherwise) {
        pf_buffer_format(b, " [default: %s]", o->otherwise);
    } else if (o->fallback && *o->fallback) {
        pf_buffer_format(b, " [default: %s]", o->fallback);
    } else if (target && !pf_option_is_list(o) && (o->type == PF_OPTION_INT || o->type == PF_OPTION_SIZE)) {
        memcpy(&number, target + o->offset, sizeof number);
        snprintf(digits, sizeof digits, "%" PRIu64, number);
        if (!pf_option_accepts(o, digits)) {
            return;
        }
        pf_buffer_text(b, " [default: ");
        if (strcmp(pf_option_value_word(o), "SIZE") == 0) {
            pf_cli_put_size(b, number);
        } else {
            pf_buffer_text(b, digits);
        }
        pf_buffer_text(b, "]");
    }
}

/* target: what holds its default, or NULL. */
static void put_option(pf_buffer *b, const pf_option *o, const char *target)
{
    pf_buffer text = {0};
    size_t from = b->len;
    if (o->letter) {
        pf_buffer_format(b, "  -%c, --%s", o->letter, o->name);
    } else {
        pf_buffer_format(b, "      --%s", o->name);
    }
    const char *word = pf_option_value_word(o);
    pf_buffer_format(b, "%s%s%s", *word ? " " : "", word, o->traits & PF_OPTION_WORDS ? "..." : "");
    go_to_text(b, from);
    pf_buffer_text(&text, o->help);
    if (o->unit && *o->unit) {
        pf_buffer_format(&text, ", in %s", o->unit);
    }
    if (o->traits & PF_OPTION_REPEATABLE) {
        pf_buffer_text(&text, "; may be repeated");
    }
    put_default(&text, o, target);
    pf_cli_put_wrapped_buffer(b, &text, TEXT_COLUMN, TEXT_COLUMN);
    pf_buffer_put(b, "\n", 1);
}

static void put_group(pf_buffer *b, const pf_cli_parser *p, size_t g)
{
    if (p->groups[g].title) {
        pf_buffer_format(b, "\n%s%s:\n", p->groups[g].of_reader ? "Inputs of format " : "", p->groups[g].title);
    }
    for (size_t i = 0; i < p->groups[g].count; i++) {
        const pf_option *o = &p->groups[g].options[i];
        if (!(o->traits & PF_OPTION_HIDDEN) && pf_cli_parser_takes(p, g, i)) {
            put_option(b, o, p->groups[g].target);
        }
    }
}

/* The options of the pass come first. */
static void put_groups(pf_buffer *b, const pf_cli_parser *p, const pf_pass *pass)
{
    for (int others = pass ? 0 : 1; others < 2; others++) {
        for (size_t g = 0; g < p->group_count; g++) {
            if ((pass && p->groups[g].options == pass->options) != others) {
                put_group(b, p, g);
            }
        }
    }
}

/* "FILE...", "BASE NEW", "TRACE [MAPPING]": the operands that the roles of a pass take. */
static void put_operands(pf_buffer *b, const pf_pass *pass)
{
    for (size_t r = 0; r < pass->role_count; r++) {
        const pf_role *role = &pass->roles[r];
        if (role->option && role->option_only) {
            continue;
        }
        pf_buffer_text(b, role->least ? " " : " [");
        for (const char *c = pass->role_count == 1 ? "file" : role->name; *c; c++) {
            pf_buffer_format(b, "%c", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        }
        pf_buffer_format(b, "%s%s", role->most == 1 ? "" : "...", role->least ? "" : "]");
    }
}

static void put_pass(pf_buffer *b, const pf_pass *pass)
{
    const char *example = pass->example ? pass->example : "", *more = *example ? " \\\n      " : "";
    const char *input = pass->example_input;
    put_title(b, "analyze", pass->name, pass->summary);
    pf_buffer_format(b, "  postfetto analyze %s %s%s%s\n", pass->name, input ? input : "trace.json", more, example);
    pf_buffer_format(b, "  postfetto analyze %s %s -o enriched.pftrace%s%s\n", pass->name,
                     input ? input : "trace.json.gz", more, example);
    pf_buffer_format(b, "\nUsage: postfetto analyze %s", pass->name);
    put_operands(b, pass);
    pf_buffer_text(b, " [options]\n");
    put_paragraphs(b, pass->description);
    if (pass->role_count > 1) {
        pf_buffer_text(b, "\nInputs:\n");
        for (size_t r = 0; r < pass->role_count; r++) {
            put_named(b, pass->roles[r].name, pass->roles[r].help);
        }
    }
    if (pass->table_count) {
        pf_buffer_text(b, "\nTables that it reports:\n");
        for (size_t i = 0; i < pass->table_count; i++) {
            put_named(b, pass->tables[i].name, pass->tables[i].help);
        }
    }
}

void pf_cli_help_command(pf_buffer *b, const pf_cli_command *c, const pf_pass *pass, const pf_cli_parser *p)
{
    if (pass) {
        put_pass(b, pass);
    } else {
        put_title(b, c->name, NULL, c->summary);
        pf_buffer_format(b, "  postfetto %s\n  postfetto %s\n\nUsage: postfetto %s %s\n", c->examples[0],
                         c->examples[1], c->name, c->usage);
        put_paragraphs(b, c->description);
    }
    if (c->has_pass && !pass) {
        pf_buffer_text(b, "\nPasses ('postfetto analyze PASS --help' shows their options):\n");
        for (size_t i = 0; i < pf_pass_count(); i++) {
            put_named(b, pf_pass_at(i)->name, pf_pass_at(i)->summary);
        }
    }
    put_groups(b, p, pass);
}

void pf_cli_help_all(pf_buffer *b, const pf_cli_command *const *commands, size_t count, bool brief)
{
    if (!brief) {
        pf_buffer_format(b, "postfetto %s - %s", pf_version(), introduction);
    }
    pf_buffer_text(b, "Usage: postfetto COMMAND [options] FILE...\n\nCommands:\n");
    for (size_t i = 0; i < count; i++) {
        put_named(b, commands[i]->name, commands[i]->summary);
    }
    pf_buffer_text(b, "\n'postfetto COMMAND --help' explains a command and its options.\n");
    if (!brief) {
        pf_buffer_text(b, conventions);
    }
}
