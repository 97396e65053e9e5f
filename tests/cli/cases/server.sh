# shellcheck shell=bash
# server: what is said before and after it serves. What it answers to Perfetto's package: tests/server.
server_port=$((20000 + SRANDOM % 20000))

# start_server ARGS...: in the background, until it says that it serves or has ended.
start_server() {
    "$PF" "$@" >"$OUT" 2>"$ERR" </dev/null &
    server=$!
    for _ in $(seq 100); do
        grep -q "serves on" "$ERR" && return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    return 1
}

run server
expect "server: without the word http" 2 out= "err=postfetto: server: takes the word http; write postfetto server http [FILE]"
run server http a b
expect "server: two traces" 2 out= "err=postfetto: server: takes one trace at most, not 2"
run -D --http-port 70000
expect "server: a port that does not exist" 6 out= "err~there is no port 70000; choose one from 1 to 65535"
run server http --ip-address here
expect "server: no address" 2 out= "err~'here' is not an address"
run server http missing.json --port "$server_port"
expect "server: a trace that is not there" 3 out= "err~missing.json: cannot be opened"
run server http --idle-timeout soon
expect "server: a time that is none" 2 out= "err~--idle-timeout takes"

if start_server "$FIX/aie_small.json" --no-ftrace-raw -D --http-port "$server_port" --full-sort; then
    run server http --port "$server_port"
    expect "server: the port is taken" 6 out= "err~127\\.0\\.0\\.1:$server_port is taken by postfetto \\(pid $server\\); choose another one with --port"
    kill -TERM "$server"
    wait "$server"
    rc=$?
    claim "server: SIGTERM ends it" [ "$rc" = 143 ]
else
    skip "server: serves" "$(head -n 1 "$ERR")"
fi
if start_server server http --port "$server_port" --idle-timeout 300ms; then
    wait "$server"
    rc=$?
    claim "server: ends when it was idle" [ "$rc" = 0 ]
fi
