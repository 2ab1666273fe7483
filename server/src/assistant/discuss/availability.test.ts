// Availability of the assistant, and the reason if it is limited.
import { expect, test } from "vitest";
import { discussPath } from "../../../test/discuss.ts";
import { letAiIn } from "../../../test/mcp.ts";
import { newKey, service, world } from "../../../test/world.ts";

const without = service();
const config = { model: { provider: "openai", url: "http://127.0.0.1:9/v1", name: "m", key: null } } as const;
const running = service(config);

test("without a model it is limited, and says so", async () => {
  const home = await world(without);
  const { status, body, headers } = await home.owner.call("GET", discussPath(home, "availability"));
  expect([status, body]).toEqual([200, { access: "limited", reason: "model_not_configured" }]);
  expect(headers.get("cache-control")).toBe("no-store");
});

test("with one it is full, but where the Workspace lets no AI in", async () => {
  const home = await world(running);
  const read = async () => (await home.owner.call("GET", discussPath(home, "availability"))).body;
  expect(await read()).toEqual({ access: "full", reason: null });
  await letAiIn(home.owner, home.workspaceId, false);
  expect(await read()).toEqual({ access: "limited", reason: "ai_access_disabled" });
});

test("where the plan does not include it there is none, and nothing is queued", async () => {
  const home = await world(running);
  const other = await world(running);
  await running.asOwner(`create
    or replace function entitled(workspace uuid, entitlement text) returns boolean language sql stable parallel safe
    return entitlement <> 'discuss' or workspace <> '${home.workspaceId}'`);
  const read = async (of: typeof home) => (await of.owner.call("GET", discussPath(of, "availability"))).body;
  expect(await read(home)).toEqual({ access: "none", reason: "not_included" });
  expect(await read(other)).toEqual({ access: "full", reason: null });
  for (const rest of ["messages", "turns"]) {
    const said = await home.owner.call("POST", discussPath(home, rest), { body: { content: "Hello" }, key: newKey() });
    expect([said.status, said.body.code]).toEqual([403, "discuss_not_included"]);
  }
  expect((await home.owner.call("GET", discussPath(home, "messages"))).body.items).toEqual([]);
});

test("a browser is told where the read stands", async () => {
  const home = await world(running);
  const headers = { "x-svc-realtime-baseline": "1" };
  const read = await home.owner.call("GET", discussPath(home, "availability"), { headers });
  expect(read.headers.get("x-svc-realtime-position")).toMatch(/^\d+$/);
});
