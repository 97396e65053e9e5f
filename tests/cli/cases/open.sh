# shellcheck shell=bash disable=SC2154,SC2034,SC2086
# open: the one-shot server, asked with curl and by a headless Chromium from another origin. There is one port 9001 on a
# machine: tests that run at the same time wait for each other.

run open
expect "open: no file" 2 out= "err=postfetto: open: takes one file, not 0; write postfetto open FILE"
for time in 0 -1 5x '' 1e9h; do
    run open tiny.json "--timeout=$time"
    expect "open --timeout '$time'" 2 out= "err~--timeout (takes a time like|needs a value)"
done
run open tiny.json --ui ui.example
expect "open --ui without a scheme" 2 out= "err~--ui takes an address"

run open tiny.json --no-browser --from 5x
expect "open --from that is no time" 2 out= "err~open: --from: '5x' is not a time"

URL=http://127.0.0.1:9001

# serve ARGS...: starts the server; sets `server`, the link is in $W/link.
serve() {
    rm -f "$W/link"
    "$PF" open "$@" >"$W/link" 2>"$W/told" &
    server=$!
    for _ in $(seq 200); do
        [ -s "$W/link" ] && return
        kill -0 $server 2>/dev/null || return
        sleep 0.05
    done
}

# ask ARGS...: curl; the status goes to $status, the headers to $OUT, the body to $W/body.
ask() {
    status=$(curl -s -D "$OUT" -o "$W/body" -w '%{http_code}' --max-time 20 "$@")
}

# What all answers of a server for https://ui.perfetto.dev say, and what each adds; the library adds Date and Content-Length.
always="Access-Control-Allow-Origin: https://ui.perfetto.dev
Cache-Control: no-cache
Vary: Origin
X-Content-Type-Options: nosniff"

answers() { # answers NAME STATUS HEADERS BODY CURL_ARGS...: all headers, and the body unless it is empty
    ask "${@:5}"
    rc=$status
    tr -d '\r' <"$OUT" | sed -E '1d; /^$/d; /^(Date|Content-Length): /d' | LC_ALL=C sort >"$W/headers"
    cp "$W/headers" "$OUT"
    expect "open: $1" "$2" "out=$(printf '%s\n%s\n' "$always" "$3" | sed '/^$/d' | LC_ALL=C sort)"
    [ -z "$4" ] || claim "open: $1: what it says" has_line "$W/body" "$4"
}

ended() { # ended NAME RC [TEST...]: the server's own end
    wait $server
    rc=$?
    cp "$W/link" "$OUT"
    cp "$W/told" "$ERR"
    expect "$@"
}

open_with_curl() {
    local file=$URL/aie_small.pftrace ui='Origin: https://ui.perfetto.dev' allow=$'\nAllow: GET, HEAD, OPTIONS'
    local text=$'Connection: close\nContent-Type: text/plain' bytes=$'Connection: close\nContent-Type: application/octet-stream'
    local only_one="there is only one file here, and this is not its name"
    local asked=$'Access-Control-Allow-Methods: GET, HEAD, OPTIONS\nAccess-Control-Allow-Private-Network: true\nAccess-Control-Max-Age: 60'
    "$PF" convert -q aie_small.json -o "$W/expected.pftrace"
    serve aie_small.json --no-browser --timeout 60s
    claim "open: the link" [ "$(cat "$W/link")" = \
        "https://ui.perfetto.dev/#!/?url=$file&referrer=open_trace_in_ui" ]
    claim "open: how to reach it from elsewhere" grep -q "ssh -L 9001:127.0.0.1:9001 HOST" "$W/told"
    answers "another file" 404 "$text" "$only_one" "$URL/tiny.json"
    answers "the root" 404 "$text" "$only_one" "$URL/"
    answers "what the UI probes" 404 "$text" "$only_one" "$URL/status"
    answers "a path that climbs" 404 "$text" "$only_one" --path-as-is "$URL/../aie_small.pftrace"
    answers "POST" 405 "$text$allow" "only GET, HEAD and OPTIONS are served" -X POST -d body "$file"
    answers "DELETE" 405 "$text$allow" "only GET, HEAD and OPTIONS are served" -X DELETE "$file"
    answers "another host name" 403 "$text" "this host name is not served" -H "Host: rebound.example:9001" "$file"
    answers "another origin" 403 "$text" "this origin is not served" -H "Origin: https://evil.example" "$file"
    answers "the question before fetching" 204 "$asked" "" -X OPTIONS -H "$ui" -H "Access-Control-Request-Private-Network: true" "$file"
    answers "localhost is this machine, too" 404 "$text" "$only_one" -H "Host: localhost:9001" "$URL/"
    answers "HEAD" 200 "$bytes" "" -I "$file"
    ask -H "Large: $(head -c 40000 /dev/zero | tr '\0' a)" "$file"
    claim "open: headers beyond their limit" [ "$status" != 200 ]
    run open tiny.json --no-browser
    expect "open: the port is taken" 6 out= "err~127\\.0\\.0\\.1:9001 is taken by postfetto \\(pid $server\\)"
    claim "open: only on the loopback interface" eval '! grep -Eq " (0{8}|0{32}):2329 .* 0A " /proc/net/tcp /proc/net/tcp6'
    answers "the file" 200 "$bytes" "" -H "$ui" "$file"
    claim "open: the file is what convert writes" cmp "$W/body" "$W/expected.pftrace"
    ended "open: ends when the file was fetched" 0

    gzip -c aie_small.pftrace >packed.pftrace.gz
    serve packed.pftrace.gz --no-browser --timeout 60 --ui http://localhost:10000/ui/
    claim "open --ui" grep -Fxq "http://localhost:10000/ui/#!/?url=$URL/packed.pftrace.gz&referrer=open_trace_in_ui" "$W/link"
    ask "$URL/packed.pftrace.gz"
    claim "open: gzip is served as it is" cmp "$W/body" packed.pftrace.gz
    claim "open --ui: its origin may read" grep -q "^Access-Control-Allow-Origin: http://localhost:10000.\$" "$OUT"
    ended "open --ui ends" 0
    rm packed.pftrace.gz

    mkfifo piped
    cat aie_small.pftrace >piped &
    serve piped --no-browser --timeout 60
    ask "$URL/piped.pftrace"
    claim "open: a named pipe is read once" cmp "$W/body" aie_small.pftrace
    ended "open: ends after a named pipe" 0
    rm piped

    "$PF" convert -q tiny.json -o tiny.perfetto.tar
    serve tiny.perfetto.tar --no-browser --timeout 60
    ask "$URL/trace.perfetto.tar"
    claim "open: an archive is served as it is" cmp "$W/body" tiny.perfetto.tar
    ended "open: an archive needs a new UI" 0 "err~the UI must be v58 or later; give an older one the \\.pftrace"
    rm tiny.perfetto.tar

    python3 -c 'import sys, zipfile; zipfile.ZipFile("packed.zip", "w", zipfile.ZIP_DEFLATED).write(sys.argv[1])' aie_small.pftrace
    serve packed.zip --no-browser --timeout 60
    ask "$URL/$(sed 's/.*9001.//; s/&.*//' "$W/link")"
    claim "open: what the UI cannot unpack is unpacked" cmp "$W/body" aie_small.pftrace
    ended "open: ends after what was unpacked" 0
    rm packed.zip

    # Of a window what is served is what `cut` writes; nothing of it stays.
    local input window="--from +2us --to -2us"
    mkdir scratch
    gzip -c aie_small.pftrace >whole.pftrace.gz
    for input in aie_small.pftrace aie_small.json whole.pftrace.gz; do
        "$PF" cut -q "$input" -o part.pftrace $window
        TMPDIR=$PWD/scratch serve "$input" --no-browser --timeout 60 $window
        ask "$URL/${input%%.*}.pftrace"
        claim "open --from --to: $input: what cut writes" cmp "$W/body" part.pftrace
        claim "open --from --to: $input: is a part" [ "$(stat -c %s part.pftrace)" -lt "$(stat -c %s aie_small.pftrace)" ]
        ended "open --from --to: $input: how much is said" 0 "err~$input: serves a part of it, [0-9]+ of [0-9]+ bytes"
    done
    mkfifo piped
    "$PF" cut -q aie_small.pftrace -o part.pftrace --to 20us
    cat aie_small.pftrace >piped &
    serve piped --no-browser --timeout 60 --to 20us
    ask "$URL/piped.pftrace"
    claim "open --to: a pipe" cmp "$W/body" part.pftrace
    ended "open --to ends after a pipe" 0
    run open aie_small.pftrace --no-browser --from 4us --to 1us
    expect "open: a window that is empty" 2 out= "err~open: the window from 4000 to 1000 ns is empty"
    "$PF" convert -q tiny.json -o tiny.perfetto.tar
    run open tiny.perfetto.tar --no-browser --from +1us
    expect "open --from: an archive" 3 out= "err~give the trace it was made from"
    TMPDIR=$PWD/scratch serve aie_small.pftrace --no-browser --timeout 60 $window
    kill -KILL $server
    wait $server 2>/dev/null
    claim "open --from --to: nothing is left in TMPDIR, also after SIGKILL" [ -z "$(ls -A scratch)" ]
    rm -r scratch piped part.pftrace whole.pftrace.gz tiny.perfetto.tar

    printf '#!/bin/sh\nprintf "%%s %%s" "$#" "$1" >"%s"\n' "$W/browsed" >browser.sh
    chmod +x browser.sh
    BROWSER=$PWD/browser.sh serve aie_small.pftrace --timeout 60
    ask "$URL/aie_small.pftrace"
    ended "open: a browser that was opened needs no explanation" 0 err=
    claim "open: the browser got the link" [ "$(cat "$W/browsed")" = "1 $(cat "$W/link")" ]
    rm browser.sh
    BROWSER=/nowhere/browser serve aie_small.pftrace --timeout 60
    ask "$URL/aie_small.pftrace"
    ended "open: a browser that is not there" 0 "err~open this link in a browser on this machine"
    # What opens links is asked for where there is a screen; an empty variable says nothing.
    mkdir desktop
    printf '#!/bin/sh\nprintf "%%s" "$1" >"%s"\n' "$W/browsed" >desktop/xdg-open
    chmod +x desktop/xdg-open
    local screen
    for screen in DISPLAY=:7 WAYLAND_DISPLAY=wayland-7 DISPLAY= WAYLAND_DISPLAY= BROWSER=; do
        rm -f "$W/browsed"
        (
            unset DISPLAY WAYLAND_DISPLAY BROWSER
            export "${screen?}" PATH="$PWD/desktop:$PATH"
            exec "$PF" open aie_small.pftrace --timeout 60 >"$W/link" 2>"$W/told"
        ) &
        server=$!
        for _ in $(seq 200); do
            [ -s "$W/link" ] && break
            sleep 0.05
        done
        ask "$URL/aie_small.pftrace"
        case $screen in
        *=?*)
            ended "open: $screen has a screen" 0 err=
            claim "open: the desktop's opener got the link of $screen" [ "$(cat "$W/browsed")" = "$(cat "$W/link")" ]
            ;;
        *)
            ended "open: '$screen' has no screen" 0 "err~open this link in a browser on this machine"
            claim "open: nothing was opened for '$screen'" test ! -e "$W/browsed"
            ;;
        esac
        rm -f "$W/link"
    done
    rm -r desktop
    TMPDIR=$PWD/nowhere run open tiny.json --no-browser
    expect "open: no folder for what is converted" 6 out= "err~^postfetto: tiny.json: no file can be created in TMPDIR: No such file or directory\$"
    run open aie_text.json --no-browser
    expect "open: what is no trace" 3 out=

    for _ in $(seq 1000); do cat aie_small.pftrace; done >large.pftrace # more than sockets hold
    serve large.pftrace --no-browser --timeout 1
    curl -s --limit-rate 10 --max-time 10 -o /dev/null "$URL/large.pftrace"
    rm large.pftrace
    ended "open: a slow client does not hold it beyond the time" 6 "err~was not fetched whole within 1 s"
    serve aie_small.json --no-browser --timeout 60
    kill -TERM $server
    ended "open: SIGTERM" 143

    "$PF" analyze aie aie_small.json $SHAPE --report reports_open -o drawn.pftrace -q >/dev/null
    serve drawn.pftrace --no-browser --pin --timeout 60
    claim "open --pin" python3 - "$W/link" <<'END'
import json, re, sys, urllib.parse
link = open(sys.argv[1]).read().strip()
(command,) = json.loads(urllib.parse.unquote(link.split("&startupCommands=")[1]))
assert command["id"] == "dev.perfetto.PinTracksByRegex"
(pattern,) = command["args"]
assert re.match(pattern, "system iterations") and not re.match(pattern, "INSTR_VECTOR")
END
    ask "$URL/drawn.pftrace"
    ended "open --pin ends" 0
    serve tiny.json --no-browser --pin --timeout 60
    ask "$URL/tiny.pftrace"
    ended "open --pin without tracks of ours" 0 "err~nothing is pinned" "out!startupCommands"
    rm -r reports_open drawn.pftrace
}

# The page comes from another port, which is another origin.
open_with_chromium() {
    mkdir "$W/page"
    cat >"$W/page/index.html" <<'END'
<!doctype html><title>waiting</title><p id="said">waiting</p><script>
fetch("http://127.0.0.1:9001/aie_small.pftrace").then(r => r.arrayBuffer())
  .then(b => { document.getElementById("said").textContent = "got " + b.byteLength; },
        e => { document.getElementById("said").textContent = "refused " + e; });
</script>
END
    python3 - "$W/page" >"$W/port" 2>/dev/null <<'END' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
END
    local page=$! port=
    while [ -z "$port" ] && kill -0 $page; do
        sleep 0.1
        port=$(cat "$W/port")
    done
    browse() {
        timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$W/profile" --timeout=20000 \
            --virtual-time-budget=8000 --dump-dom "http://localhost:$port/index.html" >"$OUT" 2>"$ERR"
        rc=$?
    }
    serve aie_small.pftrace --no-browser --timeout 120 --ui "http://localhost:$((port + 1))"
    browse
    expect "open: Chromium refuses what another origin asks for" 0 "out~refused"
    kill $server
    wait $server
    serve aie_small.pftrace --no-browser --timeout 120 --ui "http://localhost:$port"
    browse
    expect "open: Chromium fetches it for the UI's origin" 0 "out~got $(stat -c %s aie_small.pftrace)<"
    ended "open: ends after Chromium" 0
    kill $page
    wait $page 2>/dev/null
}

if ! command -v curl >/dev/null; then
    skip "open: answers" "curl is not installed (scripts/install-deps ci)"
else
    exec 8>"${TMPDIR:-/tmp}/postfetto-test-port-9001.lock"
    if ! flock -w 120 8 || grep -q ":2329 .* 0A " /proc/net/tcp; then
        skip "open: answers" "port 9001 is taken"
    else
        open_with_curl
        if command -v chromium >/dev/null; then
            open_with_chromium
        else
            skip "open: Chromium" "chromium is not installed (scripts/install-deps ci)"
        fi
    fi
    exec 8>&-
fi
