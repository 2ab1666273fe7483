// Notification preferences: every category with what holds, one's own, one at a time.
import { notificationCategories } from "@svc/contract/types.ts";
import { expect, test } from "vitest";
import { insertCredential, type Person, service, type World, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";
import { notificationDefaults } from "./rules.ts";

const running = service();
const pathOf = ({ workspaceId }: World, category = "") =>
  `/workspaces/${workspaceId}/notification-preferences${category && `/${category}`}`;
const read = async (home: World, person: Person = home.owner) => (await person.call("GET", pathOf(home))).body.items;
const change = (home: World, category: string, body: object, ifMatch = "0", person: Person = home.owner) =>
  person.call("PATCH", pathOf(home, category), { body, ifMatch });

test("every category is there with its default, until somebody decides about it", async () => {
  const home = await world(running);
  const items = await read(home);
  expect(items).toEqual(
    notificationCategories.map((category) => ({
      category,
      ...notificationDefaults[category],
      revision: "0",
      updated_at: null,
    })),
  );
  const changed = await change(home, "mentioned", { email: false });
  expect(changed.body).toMatchObject({ category: "mentioned", in_app: true, push: true, email: false, revision: "1" });
  expect(changed.headers.get("etag")).toBe('"1"');
  const after = await read(home);
  expect(after.find(({ category }: { category: string }) => category === "mentioned")).toEqual(changed.body);
  expect(after.filter(({ revision }: { revision: string }) => revision === "0")).toHaveLength(items.length - 1);
});

test("a change leaves what it does not name, and needs the revision of its own category", async () => {
  const home = await world(running);
  await change(home, "commented", { push: false });
  await change(home, "commented", { email: true }, "1");
  const stale = await change(home, "commented", { push: true }, "1");
  expect(stale.body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
  expect((await change(home, "assigned", { push: false })).status).toBe(200);
  const items = await read(home);
  expect(items.find(({ category }: { category: string }) => category === "commented")).toMatchObject({
    in_app: true,
    push: false,
    email: true,
    revision: "2",
  });
  expect((await change(home, "assigned", {}, "1")).body.errors[0].code).toBe("nothing_to_change");
  expect((await change(home, "assigned", { sms: true }, "1")).body.errors[0].pointer).toBe("/body/sms");
});

test("a category that does not exist is not found", async () => {
  const home = await world(running);
  expect((await change(home, "weather", { push: false })).body.code).toBe("not_found");
  expect((await change(home, "Assigned", { push: false })).body.code).toBe("invalid_request");
});

test("they are the member's own, also a viewer's, in this Workspace, from the browser or a native client", async () => {
  const home = await world(running);
  const viewer = await home.member("viewer");
  expect((await change(home, "assigned", { push: false }, "0", viewer)).status).toBe(200);
  expect((await read(home))[0].revision).toBe("0");
  const stranger = (await world(running)).owner;
  expect((await change(home, "assigned", { push: false }, "0", stranger)).status).toBe(404);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, viewer.userId, home.workspaceId, []);
  const body = { push: true };
  const answer = await viewer.bearer(native, "PATCH", pathOf(home, "assigned"), { body, ifMatch: "1" });
  expect(answer.body).toMatchObject({ push: true, revision: "2" });
  expect((await viewer.bearer(await home.token(), "GET", pathOf(home))).body.code).toBe("credential_kind_not_allowed");
});

test("of many first writers one wins", async () => {
  const home = await world(running);
  const answers = await Promise.all(Array.from({ length: 8 }, () => change(home, "assigned", { push: false })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
});
