#!/usr/bin/env bash
# Three desks elsewhere and a run that needs them: how valuation, news and financial work, and
# further options of `caveat research`. CAVEAT_MESSAGES names the RabbitMQ over which they speak.
#   examples/outside-agents/run.sh                            all work
#   examples/outside-agents/run.sh partial75 silent           valuation gets to 75%, news says nothing
#   examples/outside-agents/run.sh whole whole refuses        financial, which is critical, declines
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${CAVEAT_BIN:-$here/../../.venv/bin}; unset CAVEAT_BIN # it is no setting of Caveat
export CAVEAT_MESSAGES=${CAVEAT_MESSAGES:-amqp://guest:guest@127.0.0.1:5672/}
export CAVEAT_CONFIG_DIR=${CAVEAT_CONFIG_DIR:-$here}
said=$(mktemp -d) desks=()
trap 'kill "${desks[@]}" 2>/dev/null || true; rm -rf "$said"' EXIT

start() { # an agent takes messages from when it was first started
    "$bin/python" "$here/desk.py" "$1" "$2" >"$said/$1" & desks+=($!)
}
start valuation "${1:-whole}"; start news "${2:-whole}"; start financial "${3:-whole}"
for desk in valuation news financial; do
    until [ -s "$said/$desk" ]; do
        sleep 0.2
        for each in "${desks[@]}"; do
            kill -0 "$each" 2>/dev/null || { echo "A desk did not start." >&2; exit 3; }
        done
    done
    cat "$said/$desk"
done

"$bin/caveat" research "Is Harbour Instruments worth its price?" --corpus "$here/corpus" \
    --team investment-desks --depth overview "${@:4}"
