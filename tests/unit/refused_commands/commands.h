/* commands.h - runs the command inside of a test, as often as wanted: its main is called with arguments, while standard
 * output and standard error go to files. What it leaves in the folder "out" belongs to what it gives. With
 * POSTFETTO_SHARE=N in the environment one of N refusals is tried, by POSTFETTO_SEED; all with POSTFETTO_LONG=1.
 */
#ifndef PF_REFUSED_COMMANDS_H
#define PF_REFUSED_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#define WORDS_MAX 40

/* A command without its first word; ends with NULL. */
typedef struct command {
    const char *words[WORDS_MAX];
} command;

/* Runs each of them once as it is, then with the n-th request for memory refused: all n up to 60, then in growing
 * steps. It must end with exit code 5 and say why, or give the same as without. */
void refuse_memory(const command *commands, size_t count);

/* The same with a limit --max-memory from nothing up to enough. */
void limit_memory(const command *commands, size_t count);

#endif
