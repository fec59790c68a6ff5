#!/usr/bin/env bash
# A team of five loses its outside members one by one; where the reports lie is said at the end.
#   examples/outside-agents/scenario.sh [FOLDER]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${CAVEAT_BIN:-$here/../../.venv/bin}
out=${1:-$(mktemp -d)}

play() { # NAME VALUATION NEWS FINANCIAL
    echo; echo "== $1: valuation $2, news $3, financial $4"
    "$here/run.sh" "$2" "$3" "$4" --format md,json --out "$out/$1"
    echo "   (left with $?)"
}
play all-work          whole     whole  whole
play news-times-out    whole     silent whole
play valuation-at-75   partial75 silent whole
play valuation-at-60   partial60 silent whole
play financial-refuses whole     whole  refuses

echo; "$bin/python" "$here/compare.py" "$out"
