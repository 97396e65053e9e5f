# shellcheck shell=bash disable=SC2154
# SQL that a person types on a terminal.
if "$PF" --version | grep -q '^features: .*libedit' && ldconfig -p | grep -q 'libedit\.so\.2'; then
    while IFS= read -r line; do
        case $line in
        "ok "*) ok "${line#ok }" ;;
        "not ok "*) not_ok "${line#not ok }" "see the next line" ;;
        *) echo "$line" ;;
        esac
    done < <(python3 "$here/prompt.py" "$PF" tiny.json 2>&1 || echo "not ok prompt: all of it")
else
    skip prompt "it is built without libedit, or libedit is not installed"
fi
