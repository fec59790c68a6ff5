#!/bin/sh
# Starts RabbitMQ with the password of its user, which comes from a file.
set -eu

# RabbitMQ takes it from a variable alone: it gets one that no other program sees.
RABBITMQ_DEFAULT_PASS=$(cat "$BROKER_PASSWORD_FILE")
export RABBITMQ_DEFAULT_PASS
exec docker-entrypoint.sh rabbitmq-server
