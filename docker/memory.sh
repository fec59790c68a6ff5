#!/bin/sh
# Creates the database of Caveat's memory and the role that owns it, which can read nothing of
# Temporal's. Runs at every start: what exists stays, and the role's password becomes the one
# given. psql finds the server by PGHOST and PGUSER; passwords come from files. Workers create the
# tables.
set -eu

PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
MEMORY_PASSWORD=$(cat "$MEMORY_PASSWORD_FILE")
export PGPASSWORD MEMORY_PASSWORD

# The password reaches psql as a variable and never stands in a list of processes.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname postgres <<'SQL'
\getenv password MEMORY_PASSWORD
SELECT 'CREATE ROLE caveat LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'caveat')
\gexec
ALTER ROLE caveat LOGIN PASSWORD :'password';
SELECT 'CREATE DATABASE caveat OWNER caveat'
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'caveat')
\gexec
SQL
