#!/bin/sh
# Runs the tests of devices, then the benchmarks, then comparisons with other implementations, on CUDA's first device.
# Only needs NVIDIA's driver; DGEMM and SpMV by NVIDIA's libraries also need these libraries.
#   sh run.sh [FOLDER [PART...]]
# FOLDER: for records.jsonl, devices.json, readings.jsonl, comparisons.jsonl and log.txt; default: the current one.
# PART: tests, figures or comparisons; default: all.
# BANZUKE_KIT_SECONDS: what it may take in all, 1500; what has not begun by then is left out.
# BANZUKE_BABELSTREAM, BANZUKE_NVBANDWIDTH: their executables, to be run in turn with ours.
# Exit status: 0 all passed, 1 a failure or a stop, 2 no device. If it is stopped, for example by
# a job's time limit, everything measured so far is kept and shown.
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-.}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- tests figures comparisons
for part in "$@"; do
  case $part in
    tests | figures | comparisons) ;;
    *)
      echo "there is no part $part: the parts are tests, figures and comparisons" >&2
      exit 1
      ;;
  esac
done
parts=" $* "
mkdir -p -- "$out" || exit 1
records=$out/records.jsonl
readings=$out/readings.jsonl
comparisons=$out/comparisons.jsonl
log=$out/log.txt
failed=0
began=$(date +%s)
seconds=${BANZUKE_KIT_SECONDS:-1500}
late=0
for file in "$records" "$readings" "$comparisons" "$log"; do
  if ! { true >"$file"; } 2>/dev/null; then
    echo "$file cannot be written: name another folder" >&2
    exit 1
  fi
done

say() {
  echo "$@" | tee -a "$log"
}

part() {
  case $parts in
    *" $1 "*) ;;
    *) return 1 ;;
  esac
}

step() {
  say "== $1 (at $(($(date +%s) - began)) s)"
}

# Sets `limit` to the seconds that a program may take, at most $1; false if no time is left.
within() {
  limit=$((seconds - ($(date +%s) - began)))
  if [ "$limit" -le 0 ]; then
    late=$((late + 1))
    return 1
  fi
  [ "$limit" -le "$1" ] || limit=$1
}

# Appends the output to a file of figures; a line that a killed program left unfinished, with which no import would take
# the file, goes to the log.
keep() {
  kept=
  if ! awk '/}$/ { print; next } { print >"/dev/stderr" }' "$out/output" >>"$1" 2>>"$log"; then
    failed=1
    say "FAILED: $1 is not whole: is there room for it?"
  fi
}

# Runs a program for at most $limit seconds; its output goes to FILE, even if this script ends before the program.
#   try FILE PROGRAM...     after `within SECONDS`
kept=
try() {
  kept=$1
  shift
  timeout --foreground -k 10 "$limit" "$@" >"$out/output" 2>>"$log" </dev/null
}

# Shows the figures.
finish() {
  if [ "$late" -gt 0 ]; then
    failed=1
    say "FAILED: $late programs were left out, because its $seconds s (BANZUKE_KIT_SECONDS) were over"
  fi
  step "all done"
  if command -v python3 >/dev/null; then
    if part figures; then show show.py "$records"; fi
    show clocks.py "$readings"
    if part comparisons; then show goals.py "$comparisons" "$records"; fi
  else
    say "no python3 here to show them: the figures are in $records and $comparisons"
  fi
  rm -f "$out/output" "$out/errors"
  exit $failed
}

show() {
  program=$1
  shift
  python3 "$here/$program" "$@" >"$out/output" 2>>"$log" || fail
  tee -a "$log" <"$out/output"
}

# shellcheck disable=SC2317  # by a signal
stop() {
  trap - HUP INT TERM
  failed=1
  say "FAILED: it was stopped; what was measured before is kept"
  [ -z "$kept" ] || keep "$kept"
  finish
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

# Folders where toolkits and Python packages keep cuBLAS, cuSPARSE and NCCL, after those already set.
libraries=${CUDA_HOME:-/usr/local/cuda}/lib64
if command -v python3 >/dev/null; then
  libraries=$libraries:$(python3 -c 'import glob, sysconfig
print(":".join(glob.glob(sysconfig.get_path("purelib") + "/nvidia/*/lib")))')
fi
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries"

"$here/bin/banzuke-probe" devices >"$out/devices.json" 2>>"$log" || rm -f "$out/devices.json"

# Reads clocks, power and reasons for throttling until this script ends, which closes its end of the pipe. It also keeps
# the device initialised: without persistence mode the driver takes seconds to set it up again for each program.
if rm -f "$out/listening" && mkfifo "$out/listening" 2>>"$log"; then
  "$here/bin/banzuke-probe" watch --interval 0.5 <"$out/listening" >"$readings" 2>>"$log" &
  exec 9>"$out/listening"
  rm -f "$out/listening"
fi

trap stop HUP INT TERM

if part tests; then
  for test in "$here"/bin/test-*; do
    within 120 || continue
    step "$(basename "$test")"
    timeout --foreground -k 10 "$limit" "$test" --gtest_brief=1 >"$out/output" 2>&1 </dev/null || fail
    tee -a "$log" <"$out/output"
  done
fi

if part figures; then
  while read -r program arguments; do
    within 120 || continue
    step "$program $arguments"
    # Unquoted, because these are several options.
    # shellcheck disable=SC2086
    if ! try "$records" "$here/bin/$program" $arguments; then
      if grep -q '"status":"skipped"' "$out/output"; then
        say "left out"
      else
        fail
      fi
    fi
    keep "$records"
  done <"$here/calls.txt"
fi

if part comparisons; then
  for bench in "$here"/bin/bench-*-cuda; do
    [ -e "$bench" ] || continue
    within 240 || continue
    step "$(basename "$bench")"
    try "$comparisons" "$bench" || fail
    keep "$comparisons"
  done
  if [ -n "${BANZUKE_BABELSTREAM:-}${BANZUKE_NVBANDWIDTH:-}" ] && command -v python3 >/dev/null && within 600; then
    step "other programs"
    kept=$comparisons
    timeout --foreground -k 10 "$limit" python3 "$here/peers.py" "$here/bin" >"$out/output" 2>"$out/errors" || fail
    tee -a "$log" <"$out/errors"
    keep "$comparisons"
  fi
fi

finish
