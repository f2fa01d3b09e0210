#!/usr/bin/env bash
# Gates a change on a CI machine. Everything comes from the environment, so that no input
# is ever part of a command's text:
#
#   CANDIDATE   a pipeline or suite file that the change touches; it is driven as it is and
#               as it was at BASE_REF. A pipeline that is new there is driven beside what it
#               is derived from. Without it SUITE is run and held to BASELINE.
#   BASE_REF    the commit that the change is compared with
#   SUITE       what both are driven on (default: the gate's own)
#   BASELINE    a blessed baseline (default: reports/baselines/SUITE.json)
#   POLICY      a policy (default: the one that the binary carries)
#   BLAME       on a loss, undo at most so many changed keys one by one
#   OUT         where gate.json, gate.xml, gate.sarif, comment.md and badge.json go
#               (default: proctor-gate)
#   PROCTOR     the binary (default: proctor)
#
# Ends with the gate's exit code.
set -euo pipefail

proctor=${PROCTOR:-proctor}
out=${OUT:-proctor-gate}
mkdir -p "$out"

arguments=(--json "$out/gate.json" --junit "$out/gate.xml" --sarif "$out/gate.sarif"
    --comment "$out/comment.md" --badge "$out/badge.json" --github)
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then arguments+=(--step-summary "$GITHUB_STEP_SUMMARY"); fi
if [ -n "${POLICY:-}" ]; then arguments+=(--policy "$POLICY"); fi

if [ -z "${CANDIDATE:-}" ]; then
    "$proctor" run "${SUITE:-gate}" --out "$out/run"
    if [ -n "${BASELINE:-}" ]; then arguments+=(--baseline "$BASELINE"); fi
    exec "$proctor" gate "$out/run" "${arguments[@]}"
fi

# What cannot be judged must not pass: the code is that of a run without its cells.
cannot() {
    echo "::error title=proctor gate::$1"
    echo "hint: $2" >&2
    exit 24
}

base=${BASE_REF:?the commit to compare with}
if [ ! -f "$CANDIDATE" ]; then
    cannot "the candidate is not there" "name a file of the repository, from where this runs"
fi
known() { git rev-parse --quiet --verify --end-of-options "$base^{commit}" > /dev/null; }
case $base in
    *[!0]*) ;;
    *) cannot "there is no commit to compare with" \
        "the first push of a branch has none before it: set base-ref, as to the default branch" ;;
esac
# A shallow clone, which checkout makes by default, does not have it.
if ! known && ! { git fetch --quiet --no-tags --depth=1 --end-of-options origin "$base" && known; }; then
    cannot "git does not know the commit to compare with, and cannot fetch it" \
        "check out with fetch-depth: 0, and set base-ref to a commit of this repository"
fi
before="$base:$CANDIDATE"
if [ -n "${BLAME:-}" ]; then arguments+=("--blame=$BLAME"); fi
exec "$proctor" gate ${SUITE:+"$SUITE"} --baseline-config "$before" --candidate-config "$CANDIDATE" \
    "${arguments[@]}"
