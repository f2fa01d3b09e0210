#!/usr/bin/env bash
# Puts the released binary on the path of the steps that follow, after its checksum. VERSION,
# REPOSITORY and SERVER say which; nothing is built.
set -euo pipefail

fail() {
    echo "::error title=proctor gate::$1"
    exit 1
}

# One that an earlier step has put there is taken, unless a version is asked for.
if [[ -z ${VERSION:-} ]] && command -v proctor; then exit; fi
# The release of the commit that this action is taken from.
manifest=$(dirname "$0")/../../../Cargo.toml
VERSION=${VERSION:-$(sed -n 's/^version = "\(.*\)"$/\1/p' "$manifest" | head -n 1)}
VERSION=${VERSION#v}
case $RUNNER_OS-$RUNNER_ARCH in
    Linux-X64) target=x86_64-unknown-linux-musl ;;
    Linux-ARM64) target=aarch64-unknown-linux-musl ;;
    macOS-X64) target=x86_64-apple-darwin ;;
    macOS-ARM64) target=aarch64-apple-darwin ;;
    *) fail "no release of proctor is for $RUNNER_OS on $RUNNER_ARCH: put a \`proctor\` on the path before this step" ;;
esac
name=proctor-$VERSION-$target
release=$SERVER/$REPOSITORY/releases/download/v$VERSION
cd "$RUNNER_TEMP"
curl --fail --fail-early --silent --show-error --location --retry 3 --remote-name-all \
    "$release/$name.tar.gz" "$release/SHA256SUMS" ||
    fail "$REPOSITORY has no release $VERSION for this machine: name one with \`version\`"
if command -v sha256sum > /dev/null; then check=(sha256sum); else check=(shasum -a 256); fi
grep -F "  $name.tar.gz" SHA256SUMS | "${check[@]}" -c - ||
    fail "$name.tar.gz is not the file that release $VERSION lists"
tar xzf "$name.tar.gz"
echo "$PWD/$name" >> "$GITHUB_PATH"
"$name/proctor" --version
