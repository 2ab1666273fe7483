// Capabilities of a covering set: every word on one state of each resource, and a third of the words on the others.
// capabilities.slow.test.ts tries every word on every state.
import { capabilityWords } from "@svc/contract/capabilities.ts";
import { describe, expect, test } from "vitest";
import { newSecret } from "../src/platform/wire/ids.ts";
import { capabilityCases, coveringWords } from "./capability-cases.ts";
import { newEntry } from "./time.ts";
import { newProject, newTask, trashTask } from "./work.ts";
import { insertCredential, newKey, type Person, world } from "./world.ts";

const { running, cases, testWords, home, task, project } = capabilityCases();
testWords(coveringWords(cases));

test("every word is tried on one state of its resource, and on a quarter of all states at least", () => {
  const applies = coveringWords(cases);
  const kinds = Map.groupBy(cases, ([, , words]) => words);
  for (const [words, states] of kinds)
    for (const word of Object.keys(words)) {
      const all = states.flatMap((one) => ["owner", "member", "viewer"].map((role) => applies(one, role, word)));
      expect(all.filter(Boolean).length / all.length, word).toBeGreaterThan(0.25);
    }
});

// ---- what is told in the answers of writes alone
// ---------------------------------------------------------------------------------

test("nobody is told of changing themselves, nor of removing the last owner", async () => {
  const own = await world(running);
  const admin = await own.member("admin");
  const at = (somebody: Person) => `/workspaces/${own.workspaceId}/people/${somebody.userId}`;
  const told = async (caller: Person, whom: Person) => (await caller.call("GET", at(whom))).body.capabilities;
  expect([await told(own.owner, own.owner), await told(admin, own.owner)]).toEqual([[], []]);
  await own.member("owner");
  expect(await told(admin, own.owner)).toEqual(["member:update", "member:remove"]);
});

test("time is recorded where the Workspace tracks it and the Task is not in the trash, and an entry is corrected and voided", async () => {
  const own = await world(running);
  const { id } = await newTask(own.owner, (await newProject(own)).id);
  const told = async () => (await own.owner.call("GET", `/tasks/${id}/time-totals`)).body.capabilities;
  const record = async () => {
    const body = { duration: "1h", work_date: "2026-05-04" };
    return (await own.owner.call("POST", `/tasks/${id}/time-entries`, { body, key: newKey() })).status;
  };
  expect([await told(), await record()]).toEqual([["time:read", "time:write", "time:manage"], 201]);
  const entry = await newEntry(own.owner, id);
  expect(entry.capabilities).toEqual(["time_entry:update", "time_entry:void"]);
  const path = `/time-entries/${entry.id}`;
  const any = { headers: { "if-match": "*" } };
  const corrected = await own.owner.call("PATCH", path, { body: { note: "Brass" }, key: newKey(), ...any });
  expect([corrected.status, corrected.body.capabilities]).toEqual([200, entry.capabilities]);
  expect((await own.owner.call("DELETE", path, { key: newKey(), ...any })).status).toBe(204);
  const tracking = { body: { enabled: false, rounding_mode: "exact" }, ifMatch: "0", key: newKey() };
  expect((await own.owner.call("PATCH", "/workspace/time-tracking", tracking)).status).toBe(200);
  expect([await told(), await record()]).toEqual([["time:read", "time:manage"], 409]);
  const on = { body: { enabled: true, rounding_mode: "exact" }, ifMatch: "1", key: newKey() };
  expect((await own.owner.call("PATCH", "/workspace/time-tracking", on)).status).toBe(200);
  await trashTask(running, own, id);
  expect([await told(), await record()]).toEqual([["time:read", "time:manage"], 409]);
});

// ---- the credential
// --------------------------------------------------------------------------------------------------------------

describe("a credential is told of nothing that it could not call", () => {
  const tokens = async (kind: "personal" | "developer", scopes: string[]) => {
    const secret = newSecret(kind === "personal" ? "pat" : "dat");
    await insertCredential(running, kind, secret, home().owner.userId, home().workspaceId, scopes);
    return async (path: string) => (await home().owner.bearer(secret, "GET", path)).body.capabilities;
  };
  for (const kind of ["personal", "developer"] as const) {
    test(`${kind}: without svc:write only what reads`, async () => {
      const told = await tokens(kind, ["svc:read"]);
      const [{ path: taskPath }, { path: projectPath }] = [await task(), await project(false)];
      expect([await told(taskPath), await told(projectPath)]).toEqual([["work:read"], ["work:read"]]);
    });
    test(`${kind}: with svc:write what its kind of credential may call`, async () => {
      const told = await tokens(kind, ["svc:read", "svc:write"]);
      const work = ["work:read", "work:write", "work:manage"];
      expect(await told((await task()).path)).toEqual(work);
      expect(await told((await project(false)).path), "a Project is changed with a session only").toEqual(work);
      expect(await told((await task({ trashed: true })).path), "so is the trash").toEqual(["work:read"]);
    });
  }
  test("a developer client's Workspace tells what can be done with a token", async () => {
    const told = await (await tokens("developer", ["svc:read"]))("/dev/workspace");
    expect(told).toEqual(["workspace:read", "work:read", "documents:read"]);
  });
});

test("a new word is tried in the table, or its noun stands here because its own tests try it", () => {
  const tried = new Set(cases.flatMap(([, , words]) => Object.keys(words)));
  const others = Object.keys(capabilityWords).filter((word) => !tried.has(word));
  const nouns = new Set(others.map((word) => word.split(":")[0]));
  expect([...nouns].sort()).toEqual([
    ...["agent", "agent_definition", "agent_request", "agent_run", "agents", "api_token", "billing"],
    ...["change_set", "command"],
    ...["discuss_message", "document_patch", "evidence", "file", "inbox_item"],
    ...["integration_binding", "integration_installation", "integration_request", "integration_subscription"],
    ...["integrations", "invitation"],
    ...["knowledge", "label_override", "mcp_credential", "members", "passkey", "project_member", "project_state"],
    ...["relation", "reminder", "result_set", "saved_view", "selection", "specialist_run", "time", "time_entry"],
    ...["upload", "workspace"],
  ]);
});
