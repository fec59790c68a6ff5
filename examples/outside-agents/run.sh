#!/usr/bin/env bash
# Two desks elsewhere and a run that needs them:
#   examples/outside-agents/run.sh                  both work
#   examples/outside-agents/run.sh partial75 silent valuation gets to 75%, news falls silent
#   examples/outside-agents/run.sh partial60 silent valuation gets to 60%
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${CAVEAT_BIN:-$here/../../.venv/bin}
export CAVEAT_TEAMS_DIR=$here/teams

"$bin/python" "$here/desk.py" valuation "${1:-whole}" & valuation=$!
"$bin/python" "$here/desk.py" news "${2:-whole}" & news=$!
trap 'kill $valuation $news 2>/dev/null || true' EXIT

"$bin/caveat" research "Is Harbour Instruments worth its price?" --corpus "$here/corpus" \
    --team investment-desks --depth overview "${@:3}"
