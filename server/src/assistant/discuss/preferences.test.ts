// Preferences in Discuss: conservative until somebody decides, their own, and replaced at exactly the revision that was
// read.
import { expect, test } from "vitest";
import { acting } from "../../../test/people.ts";
import { refusalOf } from "../../../test/work.ts";
import { newKey, type Options, type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/discuss/preferences`;
const read = (home: World, person: Person = home.owner) => person.call("GET", pathOf(home));
const change = (home: World, body: object, ifMatch = "0", person = home.owner, more: Options = {}) =>
  person.call("PATCH", pathOf(home), { body, ifMatch, ...more });
const liveIn = (person: Person, timezone: string) =>
  running.sql("update users set timezone = $2 where id = $1", [person.userId, timezone]);

test("until somebody decides the account's time zone holds and nothing is done without asking", async () => {
  const home = await world(running);
  await liveIn(home.owner, "Europe/Berlin");
  const answer = await read(home);
  expect([answer.body, answer.trips, answer.headers.get("cache-control")]).toEqual([
    {
      timezone: "Europe/Berlin",
      follow_account_timezone: true,
      effective_timezone: "Europe/Berlin",
      opt_in: false,
      revision: "0",
      updated_at: null,
    },
    1,
    "no-store",
  ]);
});

test("a time zone of one's own holds once the account's is not followed, and follows it again", async () => {
  const home = await world(running);
  await liveIn(home.owner, "Europe/Berlin");
  const chosen = await change(home, { timezone: "Asia/Tokyo" });
  expect(chosen.body).toMatchObject({ timezone: "Asia/Tokyo", effective_timezone: "Europe/Berlin", revision: "1" });
  expect([chosen.headers.get("etag"), chosen.trips <= 3]).toEqual(['"1"', true]);
  const own = await change(home, { follow_account_timezone: false }, "1");
  expect(own.body).toMatchObject({ timezone: "Asia/Tokyo", effective_timezone: "Asia/Tokyo", opt_in: false });
  expect((await read(home)).body).toEqual(own.body);
  await change(home, { follow_account_timezone: true, opt_in: true }, "2");
  await liveIn(home.owner, "America/Lima");
  expect((await read(home)).body).toMatchObject({
    timezone: "Asia/Tokyo",
    effective_timezone: "America/Lima",
    opt_in: true,
    revision: "3",
  });
});

test("whoever stops following without a choice keeps the time zone of that moment", async () => {
  const home = await world(running);
  await liveIn(home.owner, "Europe/Berlin");
  await change(home, { follow_account_timezone: false });
  await liveIn(home.owner, "America/Lima");
  expect((await read(home)).body).toMatchObject({ timezone: "Europe/Berlin", effective_timezone: "Europe/Berlin" });
});

test("a change needs the exact revision, a repeated key changes nothing more, and a change of nothing makes no revision", async () => {
  const home = await world(running);
  const key = newKey();
  const first = await change(home, { opt_in: true }, "0", home.owner, { key });
  const again = await change(home, { opt_in: true }, "0", home.owner, { key });
  expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
  const stale = await change(home, { opt_in: false });
  expect([...refusalOf(stale), stale.body.current_revision]).toEqual([409, "revision_conflict", "1"]);
  expect((await change(home, { opt_in: true }, "1")).body).toEqual(first.body);
  const without = await home.owner.call("PATCH", pathOf(home), { body: { opt_in: false } });
  expect(without.body.code).toBe("if_match_required");
  const racing = await Promise.all(
    ["Asia/Tokyo", "Asia/Seoul", "Asia/Dhaka"].map((timezone) => change(home, { timezone }, "1")),
  );
  expect(racing.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

test("a time zone is an IANA name of 1 to 100 characters", async () => {
  const home = await world(running);
  for (const timezone of ["", "Mars/Olympus", "+02:00", "PST", `Europe/${"x".repeat(94)}`, null, 1])
    expect((await change(home, { timezone })).body.errors[0].pointer, String(timezone)).toBe("/body/timezone");
  expect((await change(home, {})).body.errors[0].code).toBe("nothing_to_change");
  expect((await change(home, { effective_timezone: "UTC" })).body.errors[0].pointer).toBe("/body/effective_timezone");
  for (const [at, timezone] of ["UTC", "America/Argentina/ComodRivadavia"].entries())
    expect((await change(home, { timezone }, String(at))).body.timezone).toBe(timezone);
});

test("they are each member's own in each Workspace, and go with the membership", async () => {
  const [home, elsewhere] = [await world(running), await world(running)];
  const viewer = await home.member("viewer");
  await change(home, { opt_in: true });
  expect((await read(home, viewer)).body).toMatchObject({ opt_in: false, revision: "0" });
  await change(home, { timezone: "Asia/Tokyo" }, "0", viewer);
  expect((await read(home)).body).toMatchObject({ opt_in: true, revision: "1" });
  expect((await read(home, elsewhere.owner)).body.code).toBe("not_found");
  expect((await change(home, { opt_in: true }, "0", elsewhere.owner)).body.code).toBe("not_found");
  const kept = () =>
    running.sql<{ actor_id: string }>("select actor_id from discuss_preferences", [], home.workspaceId);
  expect(await kept()).toHaveLength(2);
  const gone = await acting(running, home).remove(home.owner, viewer);
  expect(gone.status, gone.text).toBe(204);
  expect(await kept()).toEqual([{ actor_id: home.owner.actorId }]);
});
