// Invitations as those who manage members see them: sent, listed, revoked, sent again. The table of states, row by row,
// save acceptance.
import { afterAll, expect, test } from "vitest";
import { lettersTo, linkTo } from "../../../test/mailbox.ts";
import {
  accept,
  acting,
  endInvitation,
  invite,
  membershipOf,
  newAddress,
  resend,
  setMembership,
} from "../../../test/people.ts";
import { startMailServer } from "../../../test/smtp.ts";
import { eventsOf, pages } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId, sha256 } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";
import { sweepInvitations } from "./invite/invitation-store.ts";

const running = service();
const limited = service({ rateLimits: { ...defaultRates, mail: { requests: 3, seconds: 600 } } });
const mail = await startMailServer();
const withMail = service({ smtpUrl: mail.url });
afterAll(() => mail.stop());
const list = async ({ owner, workspaceId }: World, query = "") =>
  (await owner.call("GET", `/workspaces/${workspaceId}/invitations${query}`)).body.items;
const revoke = (by: Person, { workspaceId }: World, id: string) =>
  by.call("DELETE", `/workspaces/${workspaceId}/invitations/${id}`);
const stored = async (id: string) =>
  (
    await running.sql<{ state: string; hash: Buffer | null }>(
      "select state, token_hash as hash from invitations where id = $1",
      [id],
    )
  )[0];
const sweep = () => running.database.writer.use(sweepInvitations);

test("inviting answers with a pending invitation for seven days and its token, and sends a letter with the link", async () => {
  const place = await world(running);
  const email = newAddress();
  const answer = await invite(place.owner, place, { email: `  ${email.toUpperCase()}`.trim(), role: "admin" });
  expect(answer.status).toBe(201);
  expect(answer.trips).toBeLessThanOrEqual(5);
  const { token, ...shown } = answer.body;
  expect(shown).toMatchObject({
    email,
    role: "admin",
    state: "pending",
    revision: "1",
    invited_by_actor_id: place.owner.actorId,
    accepted_by_user_id: null,
    capabilities: ["invitation:resend", "invitation:revoke"],
  });
  expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(7 * 24 * 3600 * 1000);
  expect(token).toMatch(/^svc_inv_[0-9A-Za-z]{38}$/);
  expect((await stored(shown.id))?.hash).toEqual(sha256(token));
  const link = await linkTo(running, email);
  const mailed = link.searchParams.get("token") as string;
  expect(link.href).toBe(`${running.url}/api/v1/auth/continuations/invitation?token=${mailed}`);
  expect(mailed).toMatch(/^svc_inv_[0-9A-Za-z]{38}$/);
  expect(mailed).not.toBe(token);
  expect((await running.send("GET", link.pathname + link.search)).headers.get("location")).toBe(
    `/invitation#token=${mailed}`,
  );
  expect((await eventsOf(running, place, shown.id)).map(({ type, activity }) => [type, activity])).toEqual([
    ["invitation.created", null],
  ]);
});

test("a repetition with the same key gets the first answer with its token, and sends no second letter", async () => {
  const place = await world(running);
  const [email, key] = [newAddress(), newKey()];
  const first = await invite(place.owner, place, { email }, { key });
  const again = await invite(place.owner, place, { email }, { key });
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"]);
  expect(again.body.token).toMatch(/^svc_inv_/);
  expect(await lettersTo(running, email)).toHaveLength(1);
  expect((await invite(place.owner, place, { email, role: "viewer" }, { key })).body.code).toBe(
    "idempotency_key_conflict",
  );
  const kept = await running.sql<{ body: string }>("select body from idempotency_keys", [], place.workspaceId);
  expect(kept.map(({ body }) => body).join()).not.toContain("svc_inv_");
});

test("many at once with one key make one invitation and give one answer", async () => {
  const place = await world(running);
  const [email, key] = [newAddress(), newKey()];
  const answers = await Promise.all(Array.from({ length: 8 }, () => invite(place.owner, place, { email }, { key })));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(await list(place)).toHaveLength(1);
});

test("many at once for one address make one invitation, and the others are told that one waits", async () => {
  const place = await world(running);
  const email = newAddress();
  const answers = await Promise.all(Array.from({ length: 8 }, () => invite(place.owner, place, { email })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  for (const { status, body } of answers.filter((each) => each.status !== 201))
    expect([status, body.code, body.errors[0].pointer]).toEqual([409, "invitation_pending", "/body/email"]);
});

test("a live invitation blocks another one for the address, in any spelling; an expired, revoked or foreign one does not", async () => {
  const [place, other] = [await world(running), await world(running)];
  const email = newAddress();
  const first = (await invite(place.owner, place, { email })).body;
  expect((await invite(place.owner, place, { email: email.toUpperCase() })).body.code).toBe("invitation_pending");
  expect((await invite(other.owner, other, { email })).status).toBe(201);
  await endInvitation(running, first.id);
  const second = await invite(place.owner, place, { email });
  expect(second.status).toBe(201);
  expect((await stored(first.id))?.state).toBe("expired");
  await revoke(place.owner, place, second.body.id);
  expect((await invite(place.owner, place, { email })).status).toBe(201);
});

test("an address that belongs to a member is not invited; one whose membership has ended is", async () => {
  const place = await world(running);
  const person = await place.member("member");
  for (const [state, status] of [
    ["active", 409],
    ["suspended", 409],
    ["removed", 201],
    ["left", 409],
  ] as const) {
    await setMembership(running, place, person, `state = '${state}'`);
    const answer = await invite(place.owner, place, { email: person.email });
    expect(answer.status, state).toBe(status);
    if (state === "left") expect(answer.body.code).toBe("invitation_pending");
    else if (status === 409)
      expect(answer.body).toMatchObject({ code: "already_member", errors: [{ pointer: "/body/email" }] });
  }
});

test("nobody is invited as an owner, and an address is an address", async () => {
  const place = await world(running);
  for (const [body, pointer] of [
    [{ role: "owner" }, "/body/role"],
    [{ role: null }, "/body/role"],
    [{ email: "not an address" }, "/body/email"],
    [{ email: `${"a".repeat(250)}@example.com` }, "/body/email"],
    [{ token: "svc_inv_x" }, "/body/token"],
  ] as const) {
    const answer = await invite(place.owner, place, body);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  }
  for (const role of ["admin", "member", "viewer"])
    expect((await invite(place.owner, place, { role })).body.role).toBe(role);
});

test("owners and admins manage invitations, members and viewers do not, others find nothing", async () => {
  const place = await world(running);
  const { body } = await invite(await place.member("admin"), place);
  const path = `/workspaces/${place.workspaceId}/invitations`;
  for (const role of ["member", "viewer"] as const) {
    const caller = await place.member(role);
    for (const answer of [await caller.call("GET", path), await invite(caller, place)])
      expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
    // Whoever may not list them does not learn which exist.
    for (const id of [body.id, newId()])
      for (const answer of [await resend(caller, place, id), await revoke(caller, place, id)])
        expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
  }
  const other = await world(running);
  for (const answer of [
    await other.owner.call("GET", path),
    await invite(other.owner, place),
    await resend(other.owner, place, body.id),
    await revoke(other.owner, place, body.id),
    await resend(other.owner, other, body.id),
    await revoke(other.owner, other, body.id),
    await revoke(place.owner, place, newId()),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
  expect((await stored(body.id))?.state).toBe("pending");
});

test("the list shows every state, newest first, by the database's clock, and never a token", async () => {
  const place = await world(running);
  const made = [];
  for (let n = 0; n < 5; n++) made.push((await invite(place.owner, place)).body);
  await endInvitation(running, made[0].id);
  await revoke(place.owner, place, made[1].id);
  const person = await place.member("viewer");
  await running.sql("update users set email = $2 where id = $1", [person.userId, made[2].email]);
  await accept(person, made[2].token);
  const other = await world(running);
  await invite(other.owner, other);
  const { items, pages: count } = await pages(place.owner, `/workspaces/${place.workspaceId}/invitations`, 2);
  expect(count).toBe(3);
  expect(items.map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse());
  expect(items.map(({ state }) => state)).toEqual(["pending", "pending", "accepted", "revoked", "expired"]);
  expect(items[2]?.accepted_by_user_id).toBe(person.userId);
  expect(JSON.stringify(items)).not.toMatch(/svc_inv_|token|hash/);
});

test("pending becomes revoked: the link stops; again answers 204; accepted and expired ones are not revoked", async () => {
  const place = await world(running);
  const person = (await world(running)).owner;
  const { id, token } = (await invite(place.owner, place, { email: person.email })).body;
  const answer = await revoke(place.owner, place, id);
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect((await accept(person, token)).body.code).toBe("not_found");
  expect(await stored(id)).toEqual({ state: "revoked", hash: null });
  expect((await revoke(place.owner, place, id)).status).toBe(204);
  expect((await eventsOf(running, place, id)).map(({ type }) => type)).toEqual([
    "invitation.created",
    "invitation.revoked",
  ]);
  const second = (await invite(place.owner, place, { email: person.email })).body;
  await accept(person, second.token);
  const expired = (await invite(place.owner, place)).body;
  await endInvitation(running, expired.id);
  for (const over of [second, expired]) {
    const refused = await revoke(place.owner, place, over.id);
    expect([refused.status, refused.body.code]).toEqual([409, "invitation_not_pending"]);
  }
});

test("pending or expired is replaced by a fresh one of seven days with the same address and role", async () => {
  for (const expired of [false, true]) {
    const place = await world(running);
    const first = (await invite(place.owner, place, { role: "viewer" })).body;
    await endInvitation(running, first.id, expired ? "now()" : "now() + interval '1 hour'");
    if (expired) await sweep();
    const answer = await resend(await place.member("admin"), place, first.id);
    expect(answer.status).toBe(201);
    expect(answer.trips).toBeLessThanOrEqual(5);
    expect(answer.body).toMatchObject({ email: first.email, role: "viewer", state: "pending" });
    expect(answer.body.id).not.toBe(first.id);
    expect(answer.body.token).not.toBe(first.token);
    expect(Date.parse(answer.body.expires_at) - Date.parse(answer.body.created_at)).toBe(7 * 24 * 3600 * 1000);
    expect((await list(place)).map(({ state }: { state: string }) => state)).toEqual(["pending", "revoked"]);
    expect((await linkTo(running, first.email)).searchParams.get("token")).not.toBe(answer.body.token);
    const person = (await world(running)).owner;
    await running.sql("update users set email = $2 where id = $1", [person.userId, first.email]);
    expect((await accept(person, first.token)).body.code).toBe("not_found");
    expect((await accept(person, answer.body.token)).status).toBe(201);
  }
});

test("sending again needs a key, and a repetition with it sends nothing", async () => {
  const place = await world(running);
  const { id, email } = (await invite(place.owner, place)).body;
  const path = `/workspaces/${place.workspaceId}/invitations/${id}/resend`;
  expect((await place.owner.call("POST", path)).body.code).toBe("idempotency_key_required");
  const key = newKey();
  const [first, again] = [await resend(place.owner, place, id, key), await resend(place.owner, place, id, key)];
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(await lettersTo(running, email)).toHaveLength(2);
});

test("accepted and revoked ones are not sent again, nor one for an address that has a newer one or is a member by now", async () => {
  const place = await world(running);
  const person = (await world(running)).owner;
  const codes = async (id: string) => {
    const { status, body } = await resend(place.owner, place, id);
    return [status, body.code];
  };
  const first = (await invite(place.owner, place, { email: person.email })).body;
  await endInvitation(running, first.id);
  const second = (await invite(place.owner, place, { email: person.email })).body;
  expect(await codes(first.id)).toEqual([409, "invitation_pending"]);
  await accept(person, second.token);
  expect(await codes(second.id)).toEqual([409, "invitation_not_pending"]);
  expect(await codes(first.id)).toEqual([409, "already_member"]);
  const third = (await invite(place.owner, place)).body;
  await revoke(place.owner, place, third.id);
  expect(await codes(third.id)).toEqual([409, "invitation_not_pending"]);
  expect(await codes(newId())).toEqual([404, "not_found"]);
});

test("of many who send one again at the same time exactly one replaces it", async () => {
  const place = await world(running);
  const { id } = (await invite(place.owner, place)).body;
  const answers = await Promise.all(Array.from({ length: 6 }, () => resend(place.owner, place, id)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const { body } of answers.filter(({ status }) => status !== 201))
    expect(["invitation_not_pending", "invitation_pending"]).toContain(body.code);
  expect((await list(place)).map(({ state }: { state: string }) => state)).toEqual(["pending", "revoked"]);
});

test("who has lost the right while the mail was on its way invites nobody", async () => {
  const place = await world(withMail);
  const admin = await place.member("admin");
  mail.atRecipient = async () => {
    await acting(withMail, place).change(place.owner, admin, { role: "member" });
  };
  expect((await invite(admin, place)).body.code).toBe("forbidden");
  const other = await place.member("admin");
  mail.atRecipient = async () => {
    await setMembership(withMail, place, other, "state = 'removed'");
  };
  expect((await invite(other, place)).body.code).toBe("not_found");
  mail.atRecipient = async () => {};
  expect((await place.owner.call("GET", `/workspaces/${place.workspaceId}/invitations`)).body.items).toEqual([]);
});

test("mail that is refused is 503: nothing is written, and a repetition with the same key then works", async () => {
  const place = await world(withMail);
  const [email, key] = [newAddress(), newKey()];
  mail.refuseWith = 451;
  const refused = await invite(place.owner, place, { email }, { key });
  expect([refused.status, refused.body.code]).toEqual([503, "delivery_unavailable"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect((await place.owner.call("GET", `/workspaces/${place.workspaceId}/invitations`)).body.items).toEqual([]);
  mail.refuseWith = null;
  expect((await invite(place.owner, place, { email }, { key })).status).toBe(201);
  const arrived = mail.accepted.filter((letter) => JSON.stringify(letter.to).includes(email));
  expect(arrived).toHaveLength(1);
});

test("the old link works until the new letter was accepted, and stays where it was refused", async () => {
  const place = await world(withMail);
  const person = (await world(withMail)).owner;
  const first = (await invite(place.owner, place, { email: person.email })).body;
  const state = async () =>
    (await place.owner.call("GET", `/workspaces/${place.workspaceId}/invitations`)).body.items.map(
      (item: { state: string }) => item.state,
    );
  mail.refuseWith = 550;
  expect((await resend(place.owner, place, first.id)).body.code).toBe("delivery_unavailable");
  expect(await state()).toEqual(["pending"]);
  mail.refuseWith = null;
  const seen: string[][] = [];
  mail.atRecipient = async () => void seen.push(await state());
  expect((await resend(place.owner, place, first.id)).status).toBe(201);
  mail.atRecipient = async () => {};
  expect(seen).toEqual([["pending"]]);
  expect((await accept(person, first.token)).status).toBe(404);
});

test("the old link, used while the new letter is on its way, wins: the new one is refused and never was", async () => {
  const place = await world(withMail);
  const person = (await world(withMail)).owner;
  const first = (await invite(place.owner, place, { email: person.email })).body;
  mail.atRecipient = async () => {
    expect((await accept(person, first.token)).status).toBe(201);
  };
  const answer = await resend(place.owner, place, first.id);
  mail.atRecipient = async () => {};
  expect(answer.status).toBe(409);
  expect((await membershipOf(withMail, place, person)).state).toBe("active");
});

test("the letter names the Workspace and who invites, unless they could pass for something else", async () => {
  const place = await world(running);
  const { owner, workspaceId } = place;
  const text = async () => {
    const { email } = (await invite(owner, place)).body;
    return (await lettersTo(running, email)).at(-1)?.text ?? "";
  };
  await running.sql("update workspaces set name = 'Analytical <Engines>' where id = $1", [workspaceId]);
  expect(await text()).toContain('Somebody invites you to the Workspace "\u2068Analytical <Engines>\u2069".');
  await running.sql("update users set email_verified_at = now(), email_proved_at = now() where id = $1", [
    owner.userId,
  ]);
  expect(await text()).toContain(`${owner.email} invites you to`);
  for (const name of ["Win at https://evil.example", "evil．example", "write to a@b"]) {
    await running.sql("update workspaces set name = $2 where id = $1", [workspaceId, name]);
    expect(await text(), name).toContain("invites you to a Workspace.");
  }
});

test("one account sends only so many letters, whichever session it uses, and nobody gets more than so many", async () => {
  const place = await world(limited);
  const codes = [];
  for (let n = 0; n < 4; n++) codes.push((await invite(place.owner, place)).status);
  expect(codes).toEqual([201, 201, 201, 429]);
  const email = newAddress();
  const received = [];
  for (let n = 0; n < 4; n++) {
    const other = await world(limited);
    received.push((await invite(other.owner, other, { email })).status);
  }
  expect(received).toEqual([201, 201, 201, 429]);
});

test("a sweep says of what has expired that it has, and 30 days later forgets the token", async () => {
  const place = await world(running);
  const person = (await world(running)).owner;
  const live = (await invite(place.owner, place)).body;
  const { id, token } = (await invite(place.owner, place, { email: person.email })).body;
  await endInvitation(running, id);
  expect((await accept(person, token)).body.code).toBe("invitation_expired");
  await sweep();
  expect((await stored(id))?.state).toBe("expired");
  expect((await accept(person, token)).status).toBe(410);
  await endInvitation(running, id, "now() - interval '29 days 23 hours'");
  await sweep();
  expect((await accept(person, token)).status).toBe(410);
  await endInvitation(running, id, "now() - interval '30 days'");
  await sweep();
  const gone = await accept(person, token);
  expect([gone.status, gone.body.code]).toEqual([404, "not_found"]);
  expect((await stored(live.id))?.state).toBe("pending");
});
