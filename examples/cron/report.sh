#!/bin/sh
# What a Project finished in the last seven days, and what is late, as Markdown. It reads with SVC_TOKEN and SVC_URL. In a crontab:
#   0 8 * * 1  SVC_URL=https://svc.example.com SVC_TOKEN=... /usr/local/bin/report.sh ENG | mail -s "ENG this week" team@example.com
set -eu
key=$1
today=$(date -u +%F)
week_ago=$(date -u -d '7 days ago' +%F 2>/dev/null || date -u -v-7d +%F)

pages() { # code and title of every Task that a filter finds, page by page: the first line of a page is the cursor of the next one
  cursor=
  until [ "$cursor" = null ]; do
    page=$(svc api GET '/workspaces/{workspace}/tasks' -f limit=100 ${cursor:+-f "cursor=$cursor"} "$@" \
      --jq '.next_cursor, (.items[] | .code, .title)') || exit
    cursor=$(printf '%s\n' "$page" | head -n 1)
    printf '%s\n' "$page" | tail -n +2
  done
}
tasks() { # the Tasks of the Project among them, as a list
  pages "$@" | paste - - | awk -F '\t' -v key="$key-" 'index($1, key) == 1 { print "- " $1 ": " $2; any = 1 } END { if (!any) print "Nothing." }'
}

printf '# %s, %s\n\n## Finished since %s\n\n' "$key" "$today" "$week_ago"
tasks -f category=completed -f "completed_after=${week_ago}T00:00:00Z"
printf '\n## Late\n\n'
tasks -f category=backlog,unstarted,started -f "due_before=$(date -u -d yesterday +%F 2>/dev/null || date -u -v-1d +%F)" -f sort=due
