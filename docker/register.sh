#!/bin/sh
# Prepares the namespace that workers use: how long closed runs stay, and the search attributes
# without which the first workflow task of every run would fail. Runs at every start; registering
# what is registered changes nothing, and an attribute of another type is an error.
set -eu

# The port opens before the server answers; a fresh one needs seconds, not a minute.
attempts=60
until temporal operator cluster health >/dev/null 2>&1; do
    attempts=$((attempts - 1))
    if [ "$attempts" -eq 0 ]; then
        echo "The Temporal server at $TEMPORAL_ADDRESS does not answer." >&2
        exit 1
    fi
    sleep 1
done

verb=update
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 || verb=create
temporal operator namespace "$verb" --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"

# A namespace that was just created reaches every part of the server within ten seconds.
for attribute in $SEARCH_ATTRIBUTES; do
    attempts=30
    until temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" \
        --name "${attribute%%=*}" --type "${attribute#*=}"; do
        attempts=$((attempts - 1))
        [ "$attempts" -gt 0 ] || exit 1
        sleep 1
    done
done
