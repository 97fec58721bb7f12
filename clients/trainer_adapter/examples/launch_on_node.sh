#!/bin/bash
# Starts the processes of one node: launch_on_node.sh ACCELERATE FIRST_NODE NODES PROCESSES SCRIPT ARGUMENTS...
set -euo pipefail
accelerate=$1 first=$2 nodes=$3 processes=$4
shift 4
exec "$accelerate" launch --num_machines "$nodes" --machine_rank "$SLURM_NODEID" --num_processes "$processes" \
  --main_process_ip "$first" --main_process_port "$((20000 + SLURM_JOB_ID % 20000))" --mixed_precision bf16 "$@"
