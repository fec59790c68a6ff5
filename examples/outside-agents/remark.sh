#!/usr/bin/env bash
# Send a signed remark from a plain shell: `temporal`, `openssl`, and the key of the agent. The
# recipient is whoever sent the assignment, and the token the one that came with it.
#   KEY=$(caveat messages key news) examples/outside-agents/remark.sh news coordinator-1f… "Half." TOKEN
set -euo pipefail
sender=$1 recipient=$2 text=$3 token=${4-}
own=${KEY%%:*} series=$sender-$(date +%s%N)
time=$(date -u +%Y-%m-%dT%H:%M:%SZ) expires=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)
id=$series/$recipient/normal/1

# Keys in alphabetical order and no spaces: what is signed is this very text.
unsigned='{"data":{"completeness":0.0,"task_id":"","text":"'$text'"'${token:+,\"token\":\"$token\"}'},"datacontenttype":"application/json","expires":"'$expires'","id":"'$id'","kind":"remark","number":1,"priority":"normal","recipient":"'$recipient'","sender":"'$sender'","series":"'$series'","source":"/agents/'$sender'","specversion":"1.0","time":"'$time'","type":"caveat.remark"}'
signature=$(printf %s "$unsigned" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$own" | sed 's/.* //')

temporal activity start --activity-id "$id" --type caveat-message \
    --task-queue "caveat-agent-$recipient" --priority-key 3 \
    --schedule-to-start-timeout 1h --schedule-to-close-timeout 61m --heartbeat-timeout 10s \
    --retry-initial-interval 1s --retry-backoff-coefficient 2 --retry-maximum-interval 4s \
    --id-reuse-policy RejectDuplicate \
    --input "${unsigned%\}},\"signature\":\"$signature\"}"
