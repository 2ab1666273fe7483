// Who somebody is at providers: each sees and unlinks their own.
import { expect, test } from "vitest";
import { plantIdentity } from "../../../test/integrations.ts";
import { service, world } from "../../../test/world.ts";

const running = service();

test("everybody sees and unlinks their own, the newest first", async () => {
  const { owner, member } = await world(running);
  const other = await member("viewer");
  const [first, second] = [await plantIdentity(running, owner.userId), await plantIdentity(running, owner.userId)];
  const ids = async () =>
    (await owner.call("GET", "/me/integration-identities")).body.items.map((each: { id: string }) => each.id);
  expect(await ids()).toEqual([second.id, first.id]);
  expect((await other.call("GET", "/me/integration-identities")).body.items).toEqual([]);
  expect((await other.call("DELETE", `/me/integration-identities/${first.id}`)).status).toBe(404);
  expect((await owner.call("DELETE", `/me/integration-identities/${first.id}`)).status).toBe(204);
  expect(await ids()).toEqual([second.id]);
});

test("they end with the account", async () => {
  const { owner } = await world(running);
  await plantIdentity(running, owner.userId);
  const rule =
    "select confdeltype from pg_constraint where conrelid = 'integration_identities'::regclass and contype = 'f'";
  expect(await running.sql(rule)).toEqual([{ confdeltype: "c" }]);
});
