/* edit/redact/redact_paths.c - finds paths of files inside of texts.
 *
 * A text is cut into words at blanks, quotes, brackets and , ; = |. A word is a path if it begins like one (/, ./, ../,
 * ~/, //, C:\), is an address (://), has two slashes or backslashes, or ends in the ending of a kind of file. Places in
 * a file (":12" or ":12:5" after it) stay, so that a file has one hash wherever it is named. A path with a blank in it
 * is seen in pieces.
 */
#include "base/str.h"
#include "edit/redact/redact.h"

static bool separates(char c)
{
    return (unsigned char)c <= ' ' || strchr("\"'`()[]{}<>,;=|", c);
}

/* The length without numbers after colons at the end. */
static size_t without_places(pf_str word)
{
    size_t len = word.len, at = len;
    while (at > 0 && pf_is_digit(word.ptr[at - 1])) {
        at--;
        if (at > 0 && at < len && word.ptr[at - 1] == ':') {
            len = --at;
        }
    }
    return len;
}

static bool has_file_ending(pf_str word)
{
    static const char *const endings[] = {
        "py",   "pyc",         "c",    "cc",  "cpp",  "cxx",  "cu",  "cuh",   "h",   "hh",  "hpp",     "hip",
        "rs",   "go",          "js",   "ts",  "mjs",  "java", "kt",  "swift", "so",  "dll", "exe",     "dylib",
        "ko",   "json",        "yaml", "yml", "toml", "txt",  "csv", "log",   "bin", "pt",  "pth",     "ckpt",
        "onnx", "safetensors", "npy",  "npz", "h5",   "gz",   "zst", "zip",   "tar", "sh",  "pftrace", "parquet"};
    size_t dot = word.len;
    while (dot > 0 && word.ptr[dot - 1] != '.' && word.ptr[dot - 1] != '/') {
        dot--;
    }
    if (dot < 2 || word.ptr[dot - 1] != '.') {
        return false;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (pf_str_is_word(pf_str_from(word, dot), endings[i])) {
            return true;
        }
    }
    return false;
}

static bool is_path(pf_str word)
{
    size_t slashes = 0;
    for (size_t i = 0; i < word.len; i++) {
        slashes += word.ptr[i] == '/' || word.ptr[i] == '\\';
    }
    if (word.len < 2 || !slashes) {
        return has_file_ending(word);
    }
    bool rooted = word.ptr[0] == '/' || word.ptr[0] == '\\' || word.ptr[0] == '~' || word.ptr[0] == '.';
    bool drive = word.len > 2 && word.ptr[1] == ':' && (word.ptr[2] == '\\' || word.ptr[2] == '/');
    return rooted || drive || slashes > 1 || has_file_ending(word);
}

pf_status pf_redact_paths(pf_redactor *r, pf_str text, pf_str *to, pf_error *err)
{
    pf_buffer *b = &r->text;
    size_t copied = 0; /* of the text into the buffer */
    b->len = 0;
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && !separates(text.ptr[end])) {
            end++;
        }
        pf_str word = {text.ptr + at, end - at}, hash;
        word.len = without_places(word);
        if (is_path(word)) {
            PF_TRY(pf_redact_whole(r, word, &hash, err));
            pf_buffer_put(b, text.ptr + copied, at - copied);
            pf_buffer_put(b, hash.ptr, hash.len);
            copied = at + word.len;
        }
        at = end + 1;
    }
    *to = text;
    if (copied) {
        pf_buffer_put(b, text.ptr + copied, text.len - copied);
        *to = (pf_str){b->data, b->len};
    }
    return b->failed ? pf_no_memory(err) : PF_OK;
}
