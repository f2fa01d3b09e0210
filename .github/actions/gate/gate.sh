#!/usr/bin/env bash
# Gates a change on a CI machine. Everything comes from the environment, so that no input
# is ever part of a command's text:
#
#   CANDIDATE   a pipeline or suite file that the change touches; it is driven as it is and
#               as it was at BASE_REF. Without it SUITE is run and held to BASELINE.
#   BASE_REF    the commit that the change is compared with
#   SUITE       what both are driven on (default: the gate's own, smoke)
#   BASELINE    a blessed baseline (default: reports/baselines/SUITE.json)
#   POLICY      a policy (default: the one that the binary carries)
#   OUT         where gate.json, gate.xml and gate.sarif go (default: proctor-gate)
#   PROCTOR     the binary (default: proctor)
#
# Ends with the gate's exit code.
set -euo pipefail

proctor=${PROCTOR:-proctor}
out=${OUT:-proctor-gate}
mkdir -p "$out"

arguments=(--json "$out/gate.json" --junit "$out/gate.xml" --sarif "$out/gate.sarif" --github)
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then arguments+=(--step-summary "$GITHUB_STEP_SUMMARY"); fi
if [ -n "${POLICY:-}" ]; then arguments+=(--policy "$POLICY"); fi

if [ -z "${CANDIDATE:-}" ]; then
    "$proctor" run "${SUITE:-smoke}" --out "$out/run"
    if [ -n "${BASELINE:-}" ]; then arguments+=(--baseline "$BASELINE"); fi
    exec "$proctor" gate "$out/run" "${arguments[@]}"
fi

before="$out/before/$(basename "$CANDIDATE")"
mkdir -p "$out/before"
if ! git cat-file -e "${BASE_REF:?the commit to compare with}:$CANDIDATE" 2> /dev/null; then
    echo "::notice::$CANDIDATE is not there at $BASE_REF: there is nothing to compare it with"
    exit 0
fi
git show "$BASE_REF:$CANDIDATE" > "$before"
if cmp --silent "$before" "$CANDIDATE"; then
    echo "::notice::$CANDIDATE is what it was at $BASE_REF"
    exit 0
fi
exec "$proctor" gate ${SUITE:+"$SUITE"} --baseline-config "$before" --candidate-config "$CANDIDATE" \
    "${arguments[@]}"
