#!/bin/sh
# Runs the tests of devices, then the benchmarks, then sets ours beside other ways, with the device that CUDA names
# first. Needs NVIDIA's driver alone; DGEMM and SpMV by its libraries need these.
#   sh run.sh [FOLDER]   FOLDER: where records.jsonl, devices.json, comparisons.jsonl and log.txt go; the current one
# BANZUKE_BABELSTREAM, BANZUKE_NVBANDWIDTH: their executables, which are then run in turn with ours.
# Exit status: 0 all passed, 1 something failed, 2 there is no device.
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-.}
mkdir -p "$out" || exit 1
records=$out/records.jsonl
comparisons=$out/comparisons.jsonl
log=$out/log.txt
: >"$records"
: >"$comparisons"
: >"$log"

say() {
  echo "$@" | tee -a "$log"
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

failed=0
for test in "$here"/bin/test-*; do
  say "== $(basename "$test")"
  if ! timeout 300 "$test" --gtest_brief=1 >"$out/output" 2>&1; then
    failed=1
    say "FAILED"
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
      failed=1
      say "FAILED"
    fi
  fi
  cat "$out/output" >>"$records"
done <"$here/calls.txt"

for bench in "$here"/bin/bench-*-cuda; do
  [ -e "$bench" ] || continue
  say "== $(basename "$bench")"
  if ! timeout 240 "$bench" >"$out/output" 2>>"$log"; then
    failed=1
    say "FAILED: the end of $log says why"
  fi
  cat "$out/output" >>"$comparisons"
done
rm -f "$out/output"

if command -v python3 >/dev/null; then
  python3 "$here/peers.py" "$here/bin" >>"$comparisons" 2>>"$log" || failed=1
  python3 "$here/show.py" "$records" | tee -a "$log"
  python3 "$here/goals.py" "$comparisons" | tee -a "$log"
else
  say "no python3 here to show them: the figures are in $records"
fi
exit $failed
