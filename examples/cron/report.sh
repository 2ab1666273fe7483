#!/bin/sh
# What a Project finished in the last seven days, and what is late, as Markdown. It reads with SVC_TOKEN and SVC_URL. In a crontab:
#   0 8 * * 1  SVC_URL=https://svc.example.com SVC_TOKEN=... /usr/local/bin/report.sh ENG | mail -s "ENG this week" team@example.com
set -eu
key=$1
today=$(date -u +%F)
week_ago=$(date -u -d '7 days ago' +%F 2>/dev/null || date -u -v-7d +%F)

tasks() { # what a filter of the Workspace's Tasks finds, as a list
  svc api GET '/workspaces/{workspace}/tasks' -f limit=100 "$@" --jq '.items[] | .code, .title' |
    paste - - | awk -F '\t' -v key="$key-" 'index($1, key) == 1 { print "- " $1 ": " $2; any = 1 } END { if (!any) print "Nothing." }'
}

printf '# %s, %s\n\n## Finished since %s\n\n' "$key" "$today" "$week_ago"
tasks -f category=completed -f "completed_after=${week_ago}T00:00:00Z"
printf '\n## Late\n\n'
tasks -f category=backlog,unstarted,started -f "due_before=$(date -u -d yesterday +%F 2>/dev/null || date -u -v-1d +%F)" -f sort=due
