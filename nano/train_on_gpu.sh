#!/usr/bin/env bash
# Trains spindle-nano from scratch on a machine with a GPU. Needs only PyTorch (for its LibTorch), CMake, g++ and Python.
# Generates everything from the repository: text, tokens, weights.
#
#   nano/train_on_gpu.sh OUT [SECONDS] [DOCUMENTS]
#
# OUT becomes a model folder (config.json, model.safetensors, the vocabulary). On the machine that serves it:
#
#   spindle model import OUT models/spindle-nano.gguf --name spindle-nano --type q8_0
#
# It also works without a GPU, slowly: nano/train_on_gpu.sh /tmp/nano 60 20000

set -euo pipefail
out=$(realpath -m "${1:?which folder to write}")
seconds=${2:-370}
documents=${3:-4000000}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cores=$(nproc)

torch=${TORCH_PREFIX:-$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)' 2>/dev/null || true)}
cmake -S src/trainer/standalone -B "$work/trainer" -DCMAKE_BUILD_TYPE=Release ${torch:+-DCMAKE_PREFIX_PATH="$torch"} \
  >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/trainer" -j "$cores" >"$work/build.log" 2>&1 &
building=$!
g++ -std=c++20 -O2 -Isrc nano/tokens.cpp src/weights/{byte_pair,text_pieces,unicode_classes}.cpp \
  src/base/{check,error}.cpp -o "$work/tokens"

parts=64  # part of the recipe: another number gives another text
python3 nano/generate.py corpus --documents "$documents" --parts $parts --out "$work/text"
ls "$work"/text/*.txt | xargs -P "$cores" -n 1 "$work/tokens" encode nano/vocabulary.txt
rm "$work"/text/*.txt
wait $building || { cat "$work/build.log"; exit 1; }
echo "text and programs after $SECONDS s"

files=()
for part in $(seq 0 $((parts - 1))); do
  files+=(--tokens "$work/text/$part.txt.tokens" --mask "$work/text/$part.txt.mask")
done
python3 nano/training_options.py >"$work/options"
mapfile -t options <"$work/options"
"$work/trainer/spindle-pretrain" "${options[@]}" "${files[@]}" --seconds "$seconds" --out "$out"
python3 nano/model_folder.py "$out"
