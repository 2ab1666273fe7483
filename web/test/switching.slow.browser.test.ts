// A real browser that has reads under way while it switches its Workspace: whatever comes back last, it stays signed
// in.
import { expect, test } from "vitest";
import { insertMember } from "../../server/src/accounts/workspaces/store.ts";
import { newId } from "../../server/src/platform/wire/ids.ts";
import { browser } from "../../server/test/browser.ts";
import { asTenant, service, world } from "../../server/test/world.ts";
import { register, visit } from "./visit.ts";

const running = service({});
const chromium = browser();

test("six reads under way during a switch leave the new cookies alone, ten times out of ten", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const [account] = await running.sql<{ id: string }>("select id from users where email = $1", [email]);
  const workspaces = [(await world(running)).workspaceId, (await world(running)).workspaceId];
  for (const id of workspaces)
    await asTenant(running, id, (tx) => insertMember(tx, id, newId(), account?.id as string, "member"));
  for (let round = 0; round < 10; round++) {
    const statuses = await ada.page.evaluate(
      async (workspace_id) => {
        const token = /__Host-svc_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";
        const read = (path: string) => fetch(`/api/v1${path}`).then(({ status }) => status);
        const switched = fetch("/api/v1/auth/session/workspace", {
          method: "PUT",
          headers: { "content-type": "application/json", "x-csrf-token": token },
          body: JSON.stringify({ workspace_id }),
        }).then(({ status }) => status);
        const reads = ["/me", "/me/sessions", "/workspaces", "/me/api-tokens", "/auth/csrf", "/me/identities"].map(
          read,
        );
        await Promise.all(reads);
        return [await switched, await read("/me")];
      },
      workspaces[round % 2],
    );
    expect(statuses, `round ${round}`).toEqual([204, 200]);
  }
});
