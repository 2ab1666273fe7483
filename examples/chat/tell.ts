// Posts Tasks that changed since the last run to a chat. Run it every few minutes with SVC_URL, SVC_TOKEN, CHAT_WEBHOOK
// (an incoming webhook that accepts { "text": ... }, such as those of Slack and Mattermost) and STATE, a file with the
// time of the last posted change. A change that could not be posted is posted by the next run.
import { readFileSync, writeFileSync } from "node:fs";
import { createClient } from "@svc/client";

const { SVC_URL: url, SVC_TOKEN: token, CHAT_WEBHOOK: webhook, STATE: state = "told" } = process.env;
if (!url || !token || !webhook) throw new Error("Set SVC_URL, SVC_TOKEN and CHAT_WEBHOOK");
const svc = createClient({ url, token });

/** The first run starts from the current time. */
function since(): string {
  try {
    return readFileSync(state, "utf8").trim();
  } catch {
    return new Date().toISOString();
  }
}

/** Escapes titles, so that the title of a Task cannot notify a whole channel. */
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
    // The last run has posted the change at exactly this time.
    if (updated_at === updated_since) continue;
    if (updated_at > newest) newest = updated_at;
    lines.unshift(
      `<${url}/workspaces/${slug}/tasks/${code}|${code}> ${plain(title)}: ` +
        `${plain(statuses[status_id ?? ""]?.name ?? "")}`,
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
