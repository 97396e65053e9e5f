/* cli/query/line_editor.c - libedit by its name of Debian 12, loaded when a person types.
 *
 * Characters are read here: libedit by itself goes on reading after a signal, but Ctrl-C has to end the line. */
#include "cli/query/line_editor.h"

#ifdef PF_HAVE_LIBEDIT

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "base/budget.h"
#include "base/library.h"
#include "cli/terminal/terminal.h"

#define SONAME "libedit.so.2"
#define REMEMBERED 1000

/* X(name) for the functions that are used; each becomes a member that is called like the function. */
#define FUNCTIONS(X)                                                                                                   \
    X(el_init)                                                                                                         \
    X(el_end)                                                                                                          \
    X(el_get)                                                                                                          \
    X(el_set)                                                                                                          \
    X(el_gets)                                                                                                         \
    X(el_line)                                                                                                         \
    X(el_resize)                                                                                                       \
    X(el_source)                                                                                                       \
    X(el_insertstr)                                                                                                    \
    X(el_deletestr)                                                                                                    \
    X(history)                                                                                                         \
    X(history_init)                                                                                                    \
    X(history_end)

struct pf_cli_editor {
    void *library;
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    pf_cli_completer completer;
    EditLine *el;
    History *past;
    locale_t characters;
    FILE *out;  /* where the line is shown */
    char *file; /* of the history; NULL: none */
    const char *prompt;
};

/* libedit hands over itself alone, and the way to our data is one of its functions. */
static pf_cli_editor *editor_of(EditLine *el)
{
    __typeof__(&el_get) get;
    void *data = NULL;
    if (pf_library_find(RTLD_DEFAULT, "el_get", &get)) {
        get(el, EL_CLIENTDATA, &data);
    }
    return data;
}

static char *prompt_of(EditLine *el)
{
    return (char *)(uintptr_t)editor_of(el)->prompt;
}

/* Waits until something can be read; false once a signal has come. One that comes before the waiting begins is held
 * back until then, or nothing would end it. */
static bool wait_for_key(void)
{
    sigset_t stops, before;
    int ready = -1;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    while (ready < 0 && !*pf_cli_cancel_flag()) {
        ready = ppoll(&(struct pollfd){.fd = STDIN_FILENO, .events = POLLIN}, 1, NULL, &before);
        if (ready < 0 && errno != EINTR) {
            break; /* the read will say what it is */
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !*pf_cli_cancel_flag();
}

/* One character of the terminal; 0: the end of the input, -1: an error, or a signal that ends the line. */
static int read_character(EditLine *el, wchar_t *out)
{
    mbstate_t state = {0};
    for (;;) {
        char byte;
        ssize_t n = wait_for_key() ? read(STDIN_FILENO, &byte, 1) : -1;
        if (n == 0 || (n < 0 && (errno != EINTR || *pf_cli_cancel_flag()))) {
            return (int)n;
        }
        size_t done = n < 0 ? (size_t)-2 : mbrtowc(out, &byte, 1, &state);
        if (done == (size_t)-1) {
            state = (mbstate_t){0}; /* no character of this locale: left out */
        } else if (done != (size_t)-2) {
            return 1;
        }
    }
}

/* How many characters all the words have in common, whatever their case. */
static size_t common_length(const pf_buffer *words)
{
    size_t len = strlen(words->data);
    for (const char *w = words->data; w < words->data + words->len; w += strlen(w) + 1) {
        size_t same = 0;
        while (same < len && strncasecmp(w, words->data, same + 1) == 0) {
            same++;
        }
        len = same;
    }
    return len;
}

static void list_words(pf_cli_editor *e, const pf_buffer *words)
{
    pf_buffer all = {0};
    for (const char *w = words->data; w < words->data + words->len; w += strlen(w) + 1) {
        pf_buffer_format(&all, "%s ", w);
    }
    pf_buffer_put(&all, "", 1);
    pf_buffer shown = {0};
    pf_cli_put_words(&shown, all.failed ? "" : all.data, pf_cli_columns(fileno(e->out)), 0, 0);
    fputc('\n', e->out);
    fwrite(shown.data, 1, shown.len, e->out);
    fputc('\n', e->out);
    pf_buffer_free(&all);
    pf_buffer_free(&shown);
}

/* Tab: the word as far as it is sure, a blank after the only one, or a list of all. */
static unsigned char complete(EditLine *el, int key)
{
    pf_cli_editor *e = editor_of(el);
    pf_buffer text = {0}, words = {0};
    const LineInfo *line = e->el_line(el);
    pf_buffer_put(&text, line->buffer, (size_t)(line->cursor - line->buffer));
    size_t typed = text.failed ? 0 : e->completer.words(e->completer.ctx, (pf_str){text.data, text.len}, &words);
    unsigned char what = CC_REFRESH_BEEP;
    if (words.len && !words.failed) {
        bool one = strlen(words.data) + 1 == words.len;
        size_t sure = common_length(&words);
        if (one || sure > typed) {
            words.data[sure] = '\0';
            e->el_deletestr(el, (int)typed);
            e->el_insertstr(el, words.data);
            e->el_insertstr(el, one ? " " : "");
            what = CC_REFRESH;
        } else {
            list_words(e, &words);
            what = CC_REDISPLAY;
        }
    }
    pf_buffer_free(&text);
    pf_buffer_free(&words);
    return what;
}

/* Makes the folders above a file that do not exist. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void open_history(pf_cli_editor *e)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    HistEvent event;
    bool of_state = state && state[0] == '/';
    e->past = e->history_init();
    if (!e->past) {
        return;
    }
    e->history(e->past, &event, H_SETSIZE, REMEMBERED);
    e->history(e->past, &event, H_SETUNIQUE, 1);
    e->el_set(e->el, EL_HIST, e->history, e->past);
    if ((of_state || home) &&
        asprintf(&e->file, "%s%s/postfetto/history", of_state ? state : home, of_state ? "" : "/.local/state") < 0) {
        e->file = NULL;
    }
    if (e->file) {
        e->history(e->past, &event, H_LOAD, e->file);
    }
}

void pf_cli_editor_remember(pf_cli_editor *e, const char *statement)
{
    HistEvent event;
    if (e->past && *statement) {
        e->history(e->past, &event, H_ENTER, statement);
        if (e->file) {
            make_folders(e->file);
            e->history(e->past, &event, H_SAVE, e->file);
        }
    }
}

static bool load(pf_cli_editor *e)
{
    e->library = dlopen(SONAME, RTLD_NOW | RTLD_GLOBAL); /* global: see editor_of */
    bool all = e->library != NULL;
#define FIND(name) all = all && pf_library_find(e->library, #name, &e->name);
    FUNCTIONS(FIND)
#undef FIND
    return all;
}

pf_status pf_cli_editor_open(pf_cli_editor **out, const pf_cli_completer *completer, pf_error *err)
{
    pf_cli_editor *e = *out = calloc(1, sizeof *e);
    PF_TRY(e ? PF_OK : pf_no_memory(err));
    e->completer = *completer;
    e->out = isatty(STDOUT_FILENO) ? stdout : stderr;
    e->characters = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (e->characters) {
        uselocale(e->characters); /* of this thread: the terminal's */
    }
    if (!load(e)) {
        return pf_fail(err, PF_ERR_OUTPUT,
                       "%s cannot be loaded; install it (on Debian: apt install libedit2), or give the SQL as argument",
                       SONAME);
    }
    e->el = e->el_init("postfetto", stdin, e->out, stderr);
    if (!e->el) {
        return pf_fail(err, PF_ERR_OUTPUT, "the terminal cannot be set up; give the SQL as argument");
    }
    e->el_set(e->el, EL_CLIENTDATA, e);
    e->el_set(e->el, EL_PROMPT, prompt_of);
    e->el_set(e->el, EL_EDITOR, "emacs");
    e->el_set(e->el, EL_GETCFN, read_character);
    e->el_set(e->el, EL_ADDFN, "complete-sql", "completes a name", complete);
    e->el_set(e->el, EL_BIND, "^I", "complete-sql", NULL);
    e->el_source(e->el, NULL);
    open_history(e);
    return PF_OK;
}

void pf_cli_editor_close(pf_cli_editor *e)
{
    if (!e) {
        return;
    }
    if (e->past) {
        e->history_end(e->past);
    }
    if (e->el) {
        e->el_end(e->el);
    }
    if (e->library) {
        dlclose(e->library);
    }
    if (e->characters) {
        uselocale(LC_GLOBAL_LOCALE);
        freelocale(e->characters);
    }
    free(e->file);
    free(e);
}

const char *pf_cli_editor_line(pf_cli_editor *e, const char *prompt)
{
    int count = 0;
    e->prompt = prompt;
    e->el_resize(e->el);
    const char *line = e->el_gets(e->el, &count);
    if (!line || count <= 0) {
        return NULL;
    }
    char *end = strchr(line, '\n');
    if (end) {
        *end = '\0';
    }
    return line;
}

#else

pf_status pf_cli_editor_open(pf_cli_editor **out, const pf_cli_completer *completer, pf_error *err)
{
    *out = NULL;
    return pf_fail(err, PF_ERR_USAGE, "no SQL is given; write postfetto query FILE SQL, or use -f FILE.sql");
}

void pf_cli_editor_close(pf_cli_editor *e)
{
}

const char *pf_cli_editor_line(pf_cli_editor *e, const char *prompt)
{
    return NULL;
}

void pf_cli_editor_remember(pf_cli_editor *e, const char *statement)
{
}

#endif
