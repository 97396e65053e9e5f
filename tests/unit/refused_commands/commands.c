#include "commands.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../refusing.h"

int postfetto_main(int argc, char **argv); /* of the command, see tests/CMakeLists.txt */
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_fsync(int fd);

/* Address space for columns and caches, and files. */
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return refuses() ? MAP_FAILED : __real_mmap(at, size, protection, flags, fd, offset);
}

/* Nothing here has to survive the machine. */
int __wrap_fsync(int fd)
{
    (void)fd;
    return 0;
}

#define FILES_MAX 128

/* What a run gave. */
typedef struct result {
    int code;
    char *out, *err; /* standard output and standard error */
    size_t out_len, err_len;
    struct {
        char name[256];
        uint64_t sum;
    } files[FILES_MAX]; /* in "out" */
    size_t file_count;
} result;

static char *bytes_of(const char *path, size_t *len)
{
    struct stat sb = {0};
    int fd = open(path, O_RDONLY);
    cr_assert(fd >= 0 && fstat(fd, &sb) == 0, "%s", path);
    char *bytes = __real_malloc((size_t)sb.st_size + 1);
    *len = (size_t)sb.st_size;
    cr_assert_eq(read(fd, bytes, *len), sb.st_size);
    bytes[*len] = 0;
    close(fd);
    return bytes;
}

static result *gathering;

static int gather_file(const char *path, const struct stat *sb, int type, struct FTW *where)
{
    (void)sb;
    (void)where;
    if (type != FTW_F) {
        return 0;
    }
    size_t len;
    char *bytes = bytes_of(path, &len);
    cr_assert_lt(gathering->file_count, FILES_MAX);
    snprintf(gathering->files[gathering->file_count].name, sizeof gathering->files->name, "%s", path);
    uint64_t *sum = &gathering->files[gathering->file_count++].sum;
    *sum = len;
    for (size_t i = 0; i < len; i++) {
        *sum = *sum * 1099511628211u + (uint8_t)bytes[i];
    }
    free(bytes);
    return 0;
}

static int remove_file(const char *path, const struct stat *sb, int type, struct FTW *where)
{
    (void)sb;
    (void)type;
    (void)where;
    return remove(path);
}

static void redirect(int fd, const char *path)
{
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    cr_assert(to >= 0 && dup2(to, fd) == fd && close(to) == 0);
}

static void run(const command *c, unsigned at, result *r)
{
    char *words[WORDS_MAX + 1] = {(char[]){"postfetto"}};
    int count = 1;
    for (; c->words[count - 1]; count++) {
        words[count] = __real_strdup(c->words[count - 1]);
    }
    nftw("out", remove_file, 8, FTW_DEPTH | FTW_PHYS);
    cr_assert_eq(mkdir("out", 0700), 0);
    fflush(NULL);
    int stdout_was = dup(STDOUT_FILENO), stderr_was = dup(STDERR_FILENO);
    redirect(STDOUT_FILENO, "stdout");
    redirect(STDERR_FILENO, "stderr");
    atomic_store(&asked, 0);
    refuse_at = at;
    r->code = postfetto_main(count, words);
    refuse_at = 0;
    fflush(NULL);
    dup2(stdout_was, STDOUT_FILENO);
    dup2(stderr_was, STDERR_FILENO);
    close(stdout_was);
    close(stderr_was);
    while (--count > 0) {
        free(words[count]);
    }
    r->out = bytes_of("stdout", &r->out_len);
    r->err = bytes_of("stderr", &r->err_len);
    r->file_count = 0;
    gathering = r;
    nftw("out", gather_file, 8, FTW_PHYS);
}

static void forget(result *r)
{
    free(r->out);
    free(r->err);
}

static const char *text_of(const command *c)
{
    static char text[2048];
    size_t len = 0;
    for (size_t i = 0; c->words[i] && len < sizeof text; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, " %s", c->words[i]);
    }
    return text;
}

static bool limited; /* a page names the limit, in its command: its bytes are others */

static bool is_page(const char *name)
{
    size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, ".html") == 0;
}

/* Every file that is there is whole. */
static bool files_are_of(const result *r, const result *whole)
{
    for (size_t i = 0; i < r->file_count; i++) {
        size_t k = 0;
        while (k < whole->file_count && strcmp(whole->files[k].name, r->files[i].name) != 0) {
            k++;
        }
        bool other = k == whole->file_count || whole->files[k].sum != r->files[i].sum;
        if (other && !(k < whole->file_count && limited && is_page(r->files[i].name))) {
            return false;
        }
    }
    return true;
}

/* What differs, or NULL. A message may be missing where that is said. */
static const char *difference(const result *r, const result *whole)
{
    return r->out_len != whole->out_len || memcmp(r->out, whole->out, r->out_len) != 0 ? "standard output"
           : r->file_count != whole->file_count || !files_are_of(r, whole)             ? "files"
           : strcmp(r->err, whole->err) != 0 && !strstr(r->err, "out of memory\n")     ? "messages"
                                                                                       : NULL;
}

/* Returns whether it was done without. */
static bool check(const command *c, const char *what, uint64_t n, const result *r, const result *whole,
                  const char *const *reasons)
{
    if (r->code == whole->code) {
        const char *other = difference(r, whole);
        cr_expect_null(other, "%s%s %llu: other %s\n%s", text_of(c), what, (unsigned long long)n, other, r->err);
        return true;
    }
    cr_expect_eq(r->code, 5, "%s%s %llu: exit code %d\n%s", text_of(c), what, (unsigned long long)n, r->code, r->err);
    cr_expect(strstr(r->err, reasons[0]) || strstr(r->err, reasons[1]), "%s%s %llu: no reason\n%s", text_of(c), what,
              (unsigned long long)n, r->err);
    cr_expect(files_are_of(r, whole), "%s%s %llu: half a file is left", text_of(c), what, (unsigned long long)n);
    cr_expect(r->out_len <= whole->out_len && memcmp(r->out, whole->out, r->out_len) == 0, "%s%s %llu: other text\n%s",
              text_of(c), what, (unsigned long long)n, r->out);
    return false;
}

void refuse_memory(const command *commands, size_t count)
{
    static const char *const reasons[] = {"refused", "memory"};
    for (const command *c = commands; c < commands + count; c++) {
        static result whole, r;
        run(c, 0, &whole);
        unsigned all = atomic_load(&asked);
        cr_assert(whole.code <= 1, "%s: %d: %s", text_of(c), whole.code, whole.err);
        for (unsigned n = 1; n <= all; n += n <= 60 ? 1 : n / 9) {
            if (is_chosen()) {
                run(c, n, &r);
                check(c, ", request", n, &r, &whole, reasons);
                forget(&r);
            }
        }
        forget(&whole);
    }
}

void limit_memory(const command *commands, size_t count)
{
    static const char *const reasons[] = {"--max-memory", "--max-memory"};
    for (const command *c = commands; c < commands + count; c++) {
        static result whole, r;
        char bytes[24];
        command with_limit = *c;
        size_t words = 0;
        while (c->words[words]) {
            words++;
        }
        with_limit.words[words] = "--max-memory";
        with_limit.words[words + 1] = bytes;
        run(c, 0, &whole);
        cr_assert(whole.code <= 1, "%s: %d: %s", text_of(c), whole.code, whole.err);
        bool done = false;
        limited = true;
        for (uint64_t n = 1; !done; n += n / 4 + 1 + n % 7) {
            if (is_chosen()) {
                snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)n);
                run(&with_limit, 0, &r);
                done = check(&with_limit, ", limit", n, &r, &whole, reasons);
                forget(&r);
            }
        }
        limited = false;
        forget(&whole);
    }
}
