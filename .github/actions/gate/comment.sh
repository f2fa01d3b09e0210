#!/usr/bin/env bash
# Posts the gate's comment on a pull request, or changes the one that it posted before: its
# first line is a marker that no reader sees. From the environment:
#
#   COMMENT             the file with the comment
#   PULL                the number of the pull request
#   GITHUB_REPOSITORY   OWNER/REPOSITORY
#   GH_TOKEN            a token that may write comments
set -euo pipefail

if [ ! -s "$COMMENT" ]; then
    echo "::notice::there is nothing to comment"
    exit 0
fi
MARKER=$(head -n 1 "$COMMENT")
export MARKER
comments="repos/$GITHUB_REPOSITORY/issues/${PULL:?the number of the pull request}/comments"
own='.[] | select(.body | startswith(env.MARKER)) | .id'
id=$(gh api --paginate "$comments" --jq "$own" | head -n 1)
if [ -n "$id" ]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$COMMENT" --silent
else
    gh api --method POST "$comments" -F "body=@$COMMENT" --silent
fi
