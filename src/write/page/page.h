/* write/page/page.h - the parts of a report page (pf_format_page in write.h). */
#pragma once

#include "base/buffer.h"
#include "postfetto/write.h"

/* page_style.c: the style sheet, and the script that sorts tables; without it a page lacks nothing else. */
extern const char pf_page_style[], pf_page_script[];

#define PF_PAGE_LARGE 800000u /* bytes: from here on tables are short and names are not unfolded */
#define PF_PAGE_FULL 1300000u /* no more rows and figures, so that the whole page is below 2 MB */

/* page_table.c: a table with its heading of that level, the columns of the list (NULL: all) and its first rows. `id` is
 * the number of the table on the page; file: where all rows are, or NULL, and `folder` where that is seen from the
 * page; `name` is what --table calls it, or NULL; drawn: it is that of a figure alone. */
typedef struct pf_page_table {
    const pf_table *table;
    const char *columns;
    size_t id;
    unsigned level;
    pf_str file;
    const char *folder, *name;
    bool drawn;
} pf_page_table;

void pf_page_put_table(pf_buffer *b, const pf_page_table *t);
