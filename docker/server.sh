#!/bin/sh
# Starts the Temporal server with the password of its database, which comes from a file.
set -eu

POSTGRES_PWD=$(cat "$POSTGRES_PASSWORD_FILE")
export POSTGRES_PWD
exec /etc/temporal/entrypoint.sh "$@"
