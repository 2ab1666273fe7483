#!/usr/bin/env bash
# Comments on each Task that BRANCH or TITLE names, and finishes it where MERGED is true. Run again for the same pull request, it says nothing twice.
set -euo pipefail

codes=$(printf '%s\n' "$BRANCH" "$TITLE" | grep -oiE '\b[a-z][a-z0-9]{0,9}-[1-9][0-9]*\b' | tr '[:lower:]' '[:upper:]' | sort -u) || exit 0
for code in $codes; do
  found=0
  svc task view "$code" >/dev/null || found=$?
  # What looks like a code may be none, such as UTF-8.
  [ "$found" = 8 ] && continue
  [ "$found" = 0 ] || exit "$found"
  said="Pull request: $LINK"
  [ "$MERGED" = true ] && said="Merged: $LINK"
  svc comment "$code" "$said" --key "pull-request-$(printf '%s' "$code $said" | sha256sum | cut -c 1-32)"
  if [ "$MERGED" = true ]; then svc done "$code"; fi
done
