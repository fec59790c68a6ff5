#!/bin/sh
# Creates the databases of the Temporal server and brings their schemas up to date. Runs at every
# start: creating what exists changes nothing, and only missing versions are applied.
# The password comes from a file, and reaches temporal-sql-tool as a variable.
set -eu

SQL_PASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
export SQL_PASSWORD

sql() {
    database=$1
    shift
    temporal-sql-tool --plugin postgres12 --ep "$POSTGRES_SEEDS" -p "$DB_PORT" \
        -u "$POSTGRES_USER" --db "$database" "$@"
}

prepare() {
    sql "$1" create
    sql "$1" setup-schema -v 0.0
    sql "$1" update-schema -d "/etc/temporal/schema/postgresql/v12/$2/versioned"
}

prepare temporal temporal
prepare temporal_visibility visibility
