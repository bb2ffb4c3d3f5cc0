#!/bin/sh
# Runs the tests of devices, then the benchmarks, then sets ours beside other ways, with the device that CUDA names
# first. Needs NVIDIA's driver alone; DGEMM and SpMV by its libraries need these.
#   sh run.sh [FOLDER]   FOLDER: where records.jsonl, devices.json, comparisons.jsonl and log.txt go; the current one
# BANZUKE_BABELSTREAM, BANZUKE_NVBANDWIDTH: their executables, which are then run in turn with ours.
# Exit status: 0 all passed, 1 something failed, 2 there is no device.
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-.}
mkdir -p -- "$out" || exit 1
records=$out/records.jsonl
comparisons=$out/comparisons.jsonl
log=$out/log.txt
failed=0
for file in "$records" "$comparisons" "$log"; do
  if ! { true >"$file"; } 2>/dev/null; then
    echo "$file cannot be written: name another folder" >&2
    exit 1
  fi
done

say() {
  echo "$@" | tee -a "$log"
}

# Adds the output to a file of figures. awk ends a line in which a program was killed, so that it spoils no other.
keep() {
  if ! awk 1 "$out/output" >>"$1"; then
    failed=1
    say "FAILED: $1 is not whole: is there room for it?"
  fi
}

fail() {
  failed=1
  say "FAILED: the end of $log says why"
}

if ! nvidia-smi -L >>"$log" 2>&1; then
  say "there is no NVIDIA device here, or its driver is not visible: run this on a machine that has one (in a" \
    "container, with its devices)"
  exit 2
fi
nvidia-smi 2>&1 | tee -a "$log"

# Where toolkits and Python's packages keep cuBLAS, cuSPARSE and NCCL, after what is set already.
libraries=${CUDA_HOME:-/usr/local/cuda}/lib64
if command -v python3 >/dev/null; then
  libraries=$libraries:$(python3 -c 'import glob, sysconfig
print(":".join(glob.glob(sysconfig.get_path("purelib") + "/nvidia/*/lib")))')
fi
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries"

"$here/bin/banzuke-probe" devices >"$out/devices.json" 2>>"$log" || rm -f "$out/devices.json"

for test in "$here"/bin/test-*; do
  say "== $(basename "$test")"
  if ! timeout 300 "$test" --gtest_brief=1 >"$out/output" 2>&1; then
    fail
  fi
  tee -a "$log" <"$out/output"
done

while read -r program arguments; do
  say "== $program $arguments"
  # Their words are split: they are options.
  # shellcheck disable=SC2086
  if ! timeout 600 "$here/bin/$program" $arguments >"$out/output" 2>>"$log"; then
    if grep -q '"status":"skipped"' "$out/output"; then
      say "left out"
    else
      fail
    fi
  fi
  keep "$records"
done <"$here/calls.txt"

for bench in "$here"/bin/bench-*-cuda; do
  [ -e "$bench" ] || continue
  say "== $(basename "$bench")"
  timeout 240 "$bench" >"$out/output" 2>>"$log" || fail
  keep "$comparisons"
done

if command -v python3 >/dev/null; then
  if [ -n "${BANZUKE_BABELSTREAM:-}${BANZUKE_NVBANDWIDTH:-}" ]; then
    say "== other programs"
    python3 "$here/peers.py" "$here/bin" >"$out/output" 2>"$out/errors" || fail
    tee -a "$log" <"$out/errors"
    keep "$comparisons"
  fi
  for show in "show.py $records" "goals.py $comparisons"; do
    python3 "$here/${show%% *}" "${show#* }" >"$out/output" 2>>"$log" || fail
    tee -a "$log" <"$out/output"
  done
else
  say "no python3 here to show them: the figures are in $records"
fi
rm -f "$out/output" "$out/errors"
exit $failed
