// Who gets a socket: a request that breaks no rule of the specification is upgraded, one that breaks a rule is refused
// with its status, and one that breaks several with the status of one of them. Nothing is upgraded and then closed.
// door.slow.test.ts asks in every way that there is.
import { describe, expect, test } from "vitest";
import { handshakeFor } from "../../../test/operation-of-request.ts";
import { leaveAll, listenAs, listenWith } from "../../../test/realtime.ts";
import { broken, type Case, cases, doorway, PROTOCOL } from "../../../test/realtime-door.ts";
import { service } from "../../../test/world.ts";

// Hundreds come at once here.
const running = service({}, { realtime: { limits: { opened_per_second: 100_000 } } });
const { home, sent, upgrade, answersTo } = doorway(running);

test("a request that breaks at most one rule, or several, is answered as specified", async () => {
  const several = cases.filter((one) => broken(one).length > 1);
  // A prime, so that each value of each header is among them.
  const asked = [...cases.filter((one) => broken(one).length <= 1), ...several.filter((_, at) => at % 13 === 0)];
  const { wrong, counts } = await answersTo(asked);
  expect(wrong.slice(0, 10), `${wrong.length} are wrong`).toEqual([]);
  // A session (with and without another cookie) with no Workspace and its own; a native bearer with none, own and
  // other own; an IDE with none and own.
  expect(counts[101]).toBe(2 * 2 + 3 + 2);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(asked.length);
});

test("what is no upgrade, or offers more than the one protocol, is refused with 400", async () => {
  const plain = await upgrade(sent().credentials.session);
  expect([plain.status, plain.code]).toEqual([400, "invalid_request"]);
  const two = { ...handshakeFor(`${PROTOCOL}, bearer.x`, {}, ""), ...sent().credentials.native };
  expect((await upgrade(two)).status).toBe(400);
  const old = { ...handshakeFor(PROTOCOL, {}, ""), ...sent().credentials.native, "sec-websocket-version": "7" };
  expect((await upgrade(old)).status).toBe(400);
});

describe("once inside", () => {
  test("the welcome says what may be followed: a browser everything, a native client without a Workspace its account, an IDE three scopes", async () => {
    const browser = await (await listenAs(running, home().owner)).next("welcome");
    expect([browser.workspace_id, browser.user_id]).toEqual([home().workspaceId, home().owner.userId]);
    expect(browser.scopes).toContain("account_security");
    const token = (which: Case["credential"]) =>
      sent().credentials[which].authorization?.slice("Bearer ".length) as string;
    const native = await (await listenWith(running, token("native"))).next("welcome");
    expect([native.workspace_id, native.scopes]).toEqual([null, ["account", "account_security"]]);
    const selecting = await (await listenWith(running, token("native"), home().workspaceId)).next("welcome");
    expect([selecting.workspace_id, selecting.scopes.length]).toEqual([home().workspaceId, 8]);
    const ide = await (await listenWith(running, token("ide"))).next("welcome");
    expect([ide.workspace_id, ide.scopes]).toEqual([home().workspaceId, ["workspace", "projects", "task_comments"]]);
    leaveAll();
  });
});

test("a baseline is read with the tokens that open a socket: an IDE's, and not the CLI's", async () => {
  const read = async (credential: "cli" | "ide", query: string) => {
    const headers = sent().credentials[credential];
    const { status, body } = await running.send("GET", `/realtime/baseline${query}`, { headers });
    return [status, body.code];
  };
  for (const query of ["", "?scope=projects", "?scope=account"])
    expect(await read("cli", query), query).toEqual([403, "credential_kind_not_allowed"]);
  for (const query of ["", "?scope=projects"]) expect((await read("ide", query))[0], query).toBe(200);
});
