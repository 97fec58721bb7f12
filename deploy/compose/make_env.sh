#!/bin/sh
# Prints the variables of compose.yaml with new random passwords and keys.
set -eu

random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

for name in POSTGRES_PASSWORD CLICKHOUSE_PASSWORD S3_ACCESS_KEY S3_SECRET_KEY SECRET_KEY ADMIN_API_KEY ENGINES_API_KEY; do
	echo "$name=$(random 24)"
done
