// Rate limits of what members keep and propose, by session and by an assistant's token: above them nothing happens, and
// the answer says when to come again.
import { expect, test } from "vitest";
import { applied, propose, reviewed } from "../../../test/changes.ts";
import { callTool, mcpToken, sendMcp, taskByCode } from "../../../test/mcp.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";

const WRITES = 6;
const limited = service({ rateLimits: { ...defaultRates, write: { requests: WRITES, seconds: 600 } } });

async function workshop() {
  const place = await world(limited);
  const project = await newProject(place);
  const task = await newTask(place.owner, project.id);
  return { place, project, task, ada: await place.member("member") };
}

test("above the limit of a session nothing is captured, proposed, reviewed or applied; another credential goes on", async () => {
  const { place, task, ada } = await workshop();
  const token = await mcpToken(limited, place, "svc:read svc:write", ada);
  const path = `/workspaces/${place.workspaceId}/task-result-sets`;
  const capture = () => ada.call("POST", path, { body: { query: {} }, key: newKey() });
  const changes = [{ action: "task.trash", task_id: task.id, revision: "1" }];
  const { body: set } = await propose(ada, place, changes);
  const decided = await reviewed(ada, place, set);
  expect(decided.body.state).toBe("approved");
  const room = Number(decided.headers.get("x-ratelimit-remaining"));
  expect(room).toBeGreaterThan(0);
  for (let left = room - 1; left >= 0; left--) {
    const { status, headers } = await capture();
    expect([status, headers.get("x-ratelimit-remaining")]).toEqual([200, String(left)]);
  }
  const evidence = { sources: [{ kind: "task_title", id: task.id }] };
  for (const refused of [
    await capture(),
    await ada.call("POST", `/workspaces/${place.workspaceId}/evidence-collections`, { body: evidence, key: newKey() }),
    await propose(ada, place, changes),
    await reviewed(ada, place, set, "reject"),
    await applied(ada, place, set),
  ]) {
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  const kept = await limited.sql("select from task_result_sets", [], place.workspaceId);
  expect(kept).toHaveLength(room);
  expect((await taskByCode(place, task.code)).trashed_at).toBeNull();
  const { id, version, digest } = set;
  expect((await callTool(limited, token, "apply_change_set", { id, version, digest })).state).toBe("applied");
});

test("above the limit of an assistant's token a tool call is 429 as a whole, and has no effect; reading goes on", async () => {
  const { place, task, ada } = await workshop();
  const token = await mcpToken(limited, place, "svc:read svc:write", ada);
  const comment = (n: number) =>
    sendMcp(limited, token, "tools/call", { name: "comment", arguments: { code: task.code, markdown: `No. ${n}` } });
  for (let n = 1; n <= WRITES; n++) expect((await comment(n)).status).toBe(200);
  const propose = { title: "Out", changes: [{ action: "trash", code: task.code, revision: "1" }] };
  for (const refused of [
    await comment(WRITES + 1),
    await sendMcp(limited, token, "tools/call", { name: "propose_changes", arguments: propose }),
    await sendMcp(limited, token, "tools/call", { name: "list_tasks", arguments: { save: true } }),
  ]) {
    expect([refused.status, refused.message.error.data.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect((await callTool(limited, token, "get_task", { code: task.code })).comments).toHaveLength(WRITES);
  for (const table of ["change_sets", "task_result_sets"])
    expect(await limited.sql(`select from ${table}`, [], place.workspaceId), table).toEqual([]);
});
