// What an operation does outside happens once, although its transactions may be tried again.
import pg from "pg";
import { expect, test } from "vitest";
import { lettersTo } from "../../../test/mailbox.ts";
import { invite, newAddress } from "../../../test/people.ts";
import { eventsOf } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";

const running = service();

test("an invitation whose transaction fails to serialise is written again, and its letter is not sent again", async () => {
  const place = await world(running);
  const email = newAddress();
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  try {
    await client.query("create sequence hiccups; grant usage on sequence hiccups to svc_app");
    await client.query(`create function hiccup() returns trigger language plpgsql as $$ begin
      if nextval('hiccups') <= 2 then raise serialization_failure; end if; return new; end $$`);
    await client.query(
      `create trigger hiccup before insert on invitations for each row when (new.email = '${email}') execute function hiccup()`,
    );
    const answer = await invite(place.owner, place, { email }, { key: newKey() });
    expect([answer.status, answer.body.email], answer.text).toEqual([201, email]);
    expect(await lettersTo(running, email)).toHaveLength(1);
    expect((await eventsOf(running, place, answer.body.id)).map(({ type }) => type)).toHaveLength(1);
  } finally {
    await client.query("drop trigger hiccup on invitations; drop function hiccup; drop sequence hiccups");
    await client.end();
  }
});
