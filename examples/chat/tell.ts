// Tells a chat which Tasks have changed since the last time. Run it every few minutes: SVC_URL, SVC_TOKEN, CHAT_WEBHOOK (an incoming webhook that takes
// { "text": ... }, as those of Slack and Mattermost do) and STATE, a file in which it remembers how far it is. What could not be told is told the next time.
import { readFileSync, writeFileSync } from "node:fs";
import { createClient } from "@svc/client";

const { SVC_URL: url, SVC_TOKEN: token, CHAT_WEBHOOK: webhook, STATE: state = "told" } = process.env;
if (!url || !token || !webhook) throw new Error("Set SVC_URL, SVC_TOKEN and CHAT_WEBHOOK");
const svc = createClient({ url, token });

/** At the first time nothing has changed since now. */
function since(): string {
  try {
    return readFileSync(state, "utf8").trim();
  } catch {
    return new Date().toISOString();
  }
}

/** Nobody may call a whole channel with the title of a Task. */
const plain = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const { workspace_id, slug } = await svc.getTokenWorkspace();
const updated_since = since();
const lines: string[] = [];
let newest = updated_since;
let cursor: string | undefined;
do {
  const asked = { workspace_id, updated_since, include: "status", limit: 100, ...(cursor && { cursor }) };
  const page = await svc.listWorkspaceTasks(asked);
  const { statuses = {} } = page.included as { statuses?: Record<string, { name: string }> };
  for (const { code, title, status_id, updated_at } of page.items) {
    // The moment that it began at was told the last time.
    if (updated_at === updated_since) continue;
    if (updated_at > newest) newest = updated_at;
    lines.unshift(
      `<${url}/workspaces/${slug}/tasks/${code}|${code}> ${plain(title)}: ${plain(statuses[status_id ?? ""]?.name ?? "")}`,
    );
  }
  cursor = page.next_cursor ?? undefined;
} while (cursor);

if (lines.length > 0) {
  const body = JSON.stringify({ text: lines.join("\n") });
  const answer = await fetch(webhook, { method: "POST", headers: { "content-type": "application/json" }, body });
  if (!answer.ok) throw new Error(`The chat answered ${answer.status}`);
}
writeFileSync(state, newest);
