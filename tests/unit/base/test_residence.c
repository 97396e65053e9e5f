/* Which pages of inputs are given back while their bytes are read here and there. The files here are pieces of memory
 * of the process's own: what is given back reads as 0 afterwards. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "base/files/residence.h"

enum { BLOCK = 1 << PF_RESIDENCE_SHIFT, PAGE = 4096, BLOCKS_KEPT = 128, MEMORY_BLOCKS = 3 * BLOCKS_KEPT };

static uint8_t *memory; /* begins with a block */

static void make_memory(void)
{
    size_t bytes = (size_t)(MEMORY_BLOCKS + 1) * BLOCK;
    uint8_t *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(all, MAP_FAILED);
    memset(all, 'x', bytes);
    memory = all + (BLOCK - (uintptr_t)all % BLOCK) % BLOCK;
}

TestSuite(residence, .init = make_memory);

static pf_file file_at(size_t offset, size_t size)
{
    return (pf_file){.data = memory + offset, .size = size, .mapped_bytes = size};
}

static bool is_there(const pf_file *f)
{
    return f->data[0] == 'x';
}

static void note_blocks(pf_residence *r, const pf_file *f, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        pf_residence_note(r, f->data + (size_t)i * BLOCK);
    }
}

Test(residence, files_that_were_read_are_given_back_and_others_stay)
{
    enum { SIZE = BLOCKS_KEPT * BLOCK };
    const pf_file files[] = {file_at(2 * (size_t)SIZE, SIZE), file_at(0, SIZE), file_at(SIZE, SIZE)};
    pf_resident list[3];
    pf_residence r;
    pf_residence_init(&r, files, 3, list);
    note_blocks(&r, &files[2], BLOCKS_KEPT - 1);
    cr_expect(is_there(&files[2]), "8 MB are kept");
    pf_residence_note(&r, files[2].data + SIZE - 1);
    cr_expect_not(is_there(&files[2]));
    cr_expect(is_there(&files[0]) && is_there(&files[1]));
    note_blocks(&r, &files[0], BLOCKS_KEPT);
    cr_expect_not(is_there(&files[0]), "and so on, from the begin");
    cr_expect(is_there(&files[1]));
}

Test(residence, threads_that_read_two_places_in_turn_give_nothing_back)
{
    const pf_file files[] = {file_at(0, BLOCK), file_at(BLOCK, BLOCK)};
    pf_resident list[2];
    pf_residence r;
    pf_residence_init(&r, files, 2, list);
    for (unsigned i = 0; i < 100 * BLOCKS_KEPT; i++) {
        pf_residence_note(&r, files[i % 2].data + i % BLOCK);
    }
    cr_expect(is_there(&files[0]) && is_there(&files[1]));
}

Test(residence, files_that_share_a_block_are_all_given_back)
{
    const pf_file files[] = {file_at(0, PAGE), file_at(PAGE, PAGE), file_at(3 * PAGE, 2 * BLOCK),
                             file_at(4 * (size_t)BLOCK, BLOCKS_KEPT * (size_t)BLOCK)};
    pf_resident list[4];
    pf_residence r;
    pf_residence_init(&r, files, 4, list);
    pf_residence_note(&r, files[1].data);
    note_blocks(&r, &files[3], BLOCKS_KEPT - 1);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_not(is_there(&files[i]), "%u", i);
    }
    cr_expect_eq(memory[2 * PAGE], 'x', "what lies between files is somebody else's");
    cr_expect_eq(memory[3 * (size_t)BLOCK], 'x');
}

Test(residence, what_was_read_can_be_left_at_once)
{
    const pf_file files[] = {file_at(0, BLOCK), file_at(BLOCK, BLOCK), file_at(2 * BLOCK, BLOCK),
                             file_at(3 * (size_t)BLOCK, BLOCK)};
    pf_resident list[4];
    pf_residence r;
    pf_residence_init(&r, files, 4, list);
    for (unsigned i = 1; i < 3; i++) {
        pf_residence_note(&r, files[i].data);
    }
    pf_residence_leave(&r);
    cr_expect(is_there(&files[0]) && is_there(&files[3]));
    cr_expect_not(is_there(&files[1]) || is_there(&files[2]));
    memset(memory, 'x', 4 * (size_t)BLOCK);
    pf_residence_leave(&r);
    cr_expect(is_there(&files[1]), "it was not read again");
    pf_residence_note(&r, files[1].data);
    pf_residence_leave(&r);
    cr_expect_not(is_there(&files[1]), "a block that is come back to counts again");
}

Test(residence, copies_and_what_is_not_mapped_do_not_count)
{
    pf_file files[] = {file_at(0, BLOCK), {.data = NULL}, file_at(BLOCK, BLOCK)};
    files[0].charged = true;
    pf_resident list[3];
    pf_residence r;
    pf_residence_init(&r, files, 3, list);
    cr_expect_eq(r.count, 1);
    for (unsigned i = 0; i < BLOCKS_KEPT; i++) { /* bytes of no file */
        pf_residence_note(&r, memory + (size_t)(10 + i) * BLOCK);
    }
    cr_expect(is_there(&files[0]) && is_there(&files[2]));
    pf_residence_note(&r, files[0].data);
    pf_residence_note(&r, files[2].data);
    note_blocks(&r, &(pf_file){.data = memory + (size_t)10 * BLOCK}, BLOCKS_KEPT - 2);
    cr_expect(is_there(&files[0]));
    cr_expect_not(is_there(&files[2]));
}
