// What a token of an invitation tells before anybody signs in: who invites whom to what. Without a token that works it
// tells nothing.
import { expect, test } from "vitest";
import { newcomer } from "../../../test/fixtures/fixture.ts";
import { shown, tokenTo } from "../../../test/letters.ts";
import { accept, endInvitation, invite, newAddress, resend } from "../../../test/people.ts";
import { homeIn } from "../../../test/stage.ts";
import { service, type TestService, type World, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";
import { sweepInvitations } from "./invite/invitation-store.ts";

const running = service();
const limited = service({ rateLimits: { ...defaultRates, token: { requests: 3, seconds: 3600 } } });
const read = (token: unknown, at: TestService = running) => at.send("POST", "/invitations/read", { body: { token } });
const refusal = async (token: unknown) => {
  const { status, body } = await read(token);
  return [status, body.code];
};
const GONE = [404, "not_found"];

/** A Workspace with a name, of an owner with a proved address and a name. */
async function inviting(): Promise<World> {
  const place = await world(running);
  await named(place, "Analytical Engines");
  await running.sql(
    "update users set display_name = 'Grace', email_verified_at = now(), email_proved_at = now() where id = $1",
    [place.owner.userId],
  );
  return place;
}
const named = ({ workspaceId }: World, name: string) =>
  running.sql("update workspaces set name = $2 where id = $1", [workspaceId, name]);
const invited = async (place: World, body: object = {}) =>
  (await invite(place.owner, place, body)).body as { id: string; email: string; token: string; expires_at: string };

test("either token tells who invites, to which Workspace, which address, as what and until when, and nothing else", async () => {
  const place = await inviting();
  const { email, token, expires_at } = await invited(place, { role: "viewer" });
  const answer = await read(token);
  expect([answer.status, answer.body]).toEqual([
    200,
    { workspace_name: "Analytical Engines", inviter_name: "Grace", email, role: "viewer", expires_at },
  ]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.trips).toBeLessThanOrEqual(5);
  expect(answer.cookies).toEqual([]);
  expect((await read(await tokenTo(running, email))).text).toBe(answer.text);
});

test("reading uses nothing up: the invitation is accepted afterwards as before", async () => {
  const [place, person] = [await inviting(), await newcomer(await homeIn(running))];
  const { token, email } = await invited(place, { email: person.email });
  for (const each of [token, token, await tokenTo(running, email)]) expect((await read(each)).status).toBe(200);
  expect((await accept(person, token)).status).toBe(201);
});

test("whoever is signed in, or brings a dead session, is answered the same", async () => {
  const place = await inviting();
  const { token } = await invited(place);
  const { text } = await read(token);
  const [stranger, body] = [(await world(running)).owner, { token }];
  expect((await stranger.call("POST", "/invitations/read", { body })).text).toBe(text);
  await running.sql("delete from credentials where user_id = $1", [stranger.userId]);
  expect((await stranger.call("POST", "/invitations/read", { body })).text).toBe(text);
});

test("an unknown, malformed or foreign kind of token and one that was revoked, replaced, used or swept are answered alike with 404", async () => {
  const [place, person] = [await inviting(), await newcomer(await homeIn(running))];
  const revoked = await invited(place);
  await place.owner.call("DELETE", `/workspaces/${place.workspaceId}/invitations/${revoked.id}`);
  const replaced = await invited(place);
  const mailed = await tokenTo(running, replaced.email);
  const { token: newer } = (await resend(place.owner, place, replaced.id)).body;
  const used = await invited(place, { email: person.email });
  expect((await accept(person, used.token)).status).toBe(201);
  const swept = await invited(place);
  await endInvitation(running, swept.id, "now() - interval '31 days'");
  await running.database.writer.use(sweepInvitations);
  const unknown = await read(newSecret("inv"));
  expect([unknown.status, unknown.body.code]).toEqual(GONE);
  const { correlation_id: _, ...said } = unknown.body;
  const dead = [revoked.token, replaced.token, mailed, used.token, await tokenTo(running, used.email), swept.token];
  for (const token of [...dead, newSecret("lnk"), "x", newer.slice(0, -1), `${newer} `, place.owner.session]) {
    const answer = await read(token);
    const { correlation_id: __, ...body } = answer.body;
    expect(body).toEqual(said);
    expect(Object.keys(shown(answer).headers)).toEqual(Object.keys(shown(unknown).headers));
  }
  for (const wrong of ["", "x".repeat(201), 7, null, undefined]) expect((await read(wrong)).status).toBe(400);
  expect((await read(newer)).status).toBe(200);
});

test("an expired token is 410 from the moment on, before and after the sweep, and names nothing", async () => {
  const place = await inviting();
  const { id, email, token } = await invited(place);
  await endInvitation(running, id, "now() + interval '1 minute'");
  expect((await read(token)).status).toBe(200);
  await endInvitation(running, id);
  const { status, body, text } = await read(token);
  expect([status, body.code]).toEqual([410, "invitation_expired"]);
  for (const name of ["Analytical", "Grace", email]) expect(text).not.toContain(name);
  await running.database.writer.use(sweepInvitations);
  expect(await refusal(await tokenTo(running, email))).toEqual([410, "invitation_expired"]);
});

test("an invitation to an archived Workspace is not told", async () => {
  const place = await inviting();
  const { token } = await invited(place);
  const archive = (at: string) => running.sql(`update workspaces set archived_at = ${at}`, []);
  await archive(`now() where id = '${place.workspaceId}'`);
  expect(await refusal(token)).toEqual(GONE);
  await archive(`null where id = '${place.workspaceId}'`);
  expect((await read(token)).status).toBe(200);
});

test("an inviter whose address is not proved is not named, even if it is verified", async () => {
  const place = await inviting();
  const { token } = await invited(place);
  await running.sql("update users set email_proved_at = null where id = $1", [place.owner.userId]);
  expect((await read(token)).body).toMatchObject({ inviter_name: null, workspace_name: "Analytical Engines" });
});

test("it names the one who has invited, and no other owner or admin", async () => {
  const place = await inviting();
  const admin = await place.member("admin");
  await running.sql("update users set display_name = 'Ada' where id = $1", [admin.userId]);
  const { token } = (await invite(admin, place)).body;
  expect((await read(token)).body.inviter_name).toBeNull();
  await running.sql("update users set email_verified_at = now(), email_proved_at = now() where id = $1", [
    admin.userId,
  ]);
  expect((await read(token)).body.inviter_name).toBe("Ada");
});

test("names that could pass for a link or an address are left out, as in the letter", async () => {
  const place = await inviting();
  const { token } = await invited(place);
  for (const name of ["Win at https://evil.example", "evil.example", "write to a@b", "пример.рф", "evil。example"]) {
    await named(place, name);
    await running.sql("update users set display_name = $2 where id = $1", [place.owner.userId, name]);
    expect((await read(token)).body, name).toMatchObject({ workspace_name: null, inviter_name: null });
  }
  await named(place, "Engines, Inc.");
  await running.sql("update users set display_name = 'Dr. Hopper' where id = $1", [place.owner.userId]);
  expect((await read(token)).body).toMatchObject({ workspace_name: "Engines, Inc.", inviter_name: "Dr. Hopper" });
});

test("one address asks in vain only so often, and a token that works is read all the same", async () => {
  const place = await world(limited);
  const { token } = (await invite(place.owner, place, { email: newAddress() })).body;
  const answers = [];
  const wrong = Array.from({ length: 4 }, () => newSecret("inv"));
  for (const each of [token, ...wrong, token]) answers.push(await read(each, limited));
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 404, 429, 200]);
  expect(Number(answers.at(-2)?.headers.get("retry-after"))).toBeGreaterThan(0);
});
