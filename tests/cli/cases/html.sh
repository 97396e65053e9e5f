# shellcheck shell=bash disable=SC2154,SC2086
# The report page of --html: where it goes, what it refuses. What is on it: tests/page.
run analyze aie $SHAPE aie_small.json --report html_reports --html p.html
expect "a page is written last" 0 "out~^\[write\] html_reports/index.json\$"
claim "the page is announced after the reports" test "$(tail -n 1 "$OUT")" = "[write] p.html"
claim "the page has the command" grep -q 'postfetto analyze aie .* --html p.html' p.html
claim "the page links the reports" grep -q '<a href="html_reports">html_reports</a>' p.html
run analyze aie $SHAPE aie_small.json --report html_reports --html - -q
claim "the page on standard output is all that is there" eval '[ "$rc" = 0 ] && sed "s/--html - -q/--html p.html/" "$OUT" |
    sed "s/ href=\"html_reports\"//" | cmp - <(sed "s/ href=\"html_reports\"//" p.html)'
run compare aie_small.json aie_small.json --html c.html
claim "a page of compare names both files" eval '[ "$rc" = 0 ] && [ "$(grep -c "<dt>\(base\|new\)</dt>" c.html)" = 2 ]'
run info tiny.json --html i.html --pictures --report html_pictures
claim "a page of info has its figures" eval '[ "$rc" = 0 ] && [ "$(grep -c "<svg xmlns=" i.html)" = 3 ]'
claim "pictures of info" test "$(echo html_pictures/*)" = \
    "html_pictures/names.svg html_pictures/rows_over_time.svg html_pictures/threads.svg"
# a: 3 us, "say b" inside it, of 3 us from 1 us to 4 us.
claim "a thread is busy while it has a slice" grep -q '<td class="n">.*100.0</td><td class="n">.*3,000</td><td class="n">2</td>' i.html
cp i.html i2.html
run info tiny.json --html i.html --pictures --report html_pictures
claim "a page does not depend on when it was made" cmp i.html i2.html
before=$(listing)
run info tiny.json --html tiny.json
expect "a page of info over its input" 6 out= "err~^postfetto: tiny.json: is the input file" "same=$before"
run info tiny.json --html -
expect "a page of info in the text's place" 2 out= "err~'--html -' and the text both want standard output" "same=$before"
run info tiny.json --pictures
expect "pictures of info in no folder" 2 out= "err~--pictures writes into the folder of --report" "same=$before"
run analyze aie $SHAPE aie_small.json --html aie_small.json
expect "a page over its input" 6 out= "err~^postfetto: aie_small.json: is the input file" "same=$before"
run analyze aie $SHAPE aie_small.json --html x.html -o x.html
expect "a page over the output" 2 out= "err=postfetto: analyze: -o and --html both name x.html; choose another name for one of them" "same=$before"
run analyze aie $SHAPE aie_small.json --report html_reports --html html_reports/index.json
expect "a page over a report" 2 out= "err~^postfetto: analyze: --html html_reports/index.json names a file that a report takes" "same=$before"
run analyze aie $SHAPE aie_small.json --html - --json
expect "page and JSON both on standard output" 2 out= "err~^postfetto: analyze: '--html -' and --json both want standard output" "same=$before"
run analyze aie $SHAPE aie_small.json --html nowhere/x.html
expect "a page in no folder" 6 out= "err~^postfetto: nowhere/x.html: cannot be written: No such file or directory" "same=$before"
run analyze aie $SHAPE aie_small.json --pictures
expect "pictures in no folder" 2 out= "err=postfetto: analyze: --pictures writes into the folder of --report; add --report DIR" "same=$before"
rm -rf html_reports html_pictures p.html c.html i.html i2.html
