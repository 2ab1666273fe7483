// Cost of authentication: a request that only checks its session, a flood of sign-ins next to ordinary traffic, and the
// token endpoint.
import type { ChildProcess } from "node:child_process";
import { hashPassword } from "../server/src/accounts/identity/passwords/password.ts";
import { insertAccount } from "../server/src/accounts/identity/store.ts";
import { openDatabase } from "../server/src/platform/database/db.ts";
import { newId, newSecret, sha256 } from "../server/src/platform/wire/ids.ts";
import type { Data } from "./data.ts";
import type { Job, LoadResult, Scenario } from "./load.ts";
import { forkScript, nextMessage } from "./processes.ts";

const PASSWORD = "quartz-lantern-48-vellum";
const perSecond = ({ requests, seconds }: LoadResult) => requests / seconds;

const CONNECTIONS = 16;
const GRANT = `
with g as (
  insert into oauth_grants (id, family, client_id, client_name, user_id, workspace_id, scopes)
  select $1, 'developer', 'svc-cli', 'Bench', user_id, workspace_id, '{svc:read}' from memberships where actor_id = $2
  returning id
)
insert into oauth_refresh_tokens (token_hash, grant_id, expires_at) select $3, id, now() + interval '1 day' from g`;

/** Creates an account with a password, and a grant for each connection. */
async function withSignIn(databaseUrl: string, data: Data): Promise<Data> {
  const database = openDatabase(databaseUrl, 2);
  const id = newId();
  const email = `${id}@example.com`;
  const passwordHash = await hashPassword(PASSWORD);
  const refreshTokens = data.people.slice(0, CONNECTIONS).map(() => newSecret("drt"));
  await database.writer.use(async (tx) => {
    await insertAccount(tx, { id, email, displayName: "Bench", username: id, passwordHash });
    for (const [index, token] of refreshTokens.entries())
      await tx.rows(GRANT, [newId(), data.people[index]?.actorId, sha256(token)]);
  });
  await database.end();
  return { ...data, signIn: { email, password: PASSWORD }, refreshTokens };
}

export async function measureIdentity(
  databaseUrl: string,
  port: number,
  filled: Data,
  load: ChildProcess,
  trips: () => Promise<number>,
) {
  const data = await withSignIn(databaseUrl, filled);
  const measure = async (generator: ChildProcess, scenario: Scenario, connections: number, seconds: number) => {
    generator.send({ scenario, port, data, connections, seconds } satisfies Job);
    return nextMessage<LoadResult>(generator);
  };
  const before = await trips();
  const session = await measure(load, "read the CSRF token", 16, 4);
  const tripsEach = ((await trips()) - before) / session.requests;
  console.log(
    `A request that is nothing but its session: ${perSecond(session).toFixed(0)} a second, ` +
      `p50 ${session.p50.toFixed(2)} ms, ${tripsEach.toFixed(2)} database round-trips.`,
  );
  const flood = forkScript("load.ts");
  const alone = await measure(flood, "sign in", 8, 4);
  const ratios: number[] = [];
  let signedIn = 0;
  for (let round = 0; round < 3; round++) {
    const quiet = await measure(load, "read a Task", 16, 4);
    const [busy, during] = await Promise.all([measure(load, "read a Task", 16, 4), measure(flood, "sign in", 64, 4)]);
    ratios.push(perSecond(busy) / perSecond(quiet));
    signedIn = (during.requests - during.faults) / during.seconds;
  }
  const [, kept = 0] = ratios.sort((a, b) => a - b);
  console.log(
    `Sign-ins: ${perSecond(alone).toFixed(0)} a second alone. In a flood of 64 connections ${signedIn.toFixed(0)} ` +
      `a second come through and other traffic keeps ${(kept * 100).toFixed(0)} % of its throughput.`,
  );
  const tokens = await measure(load, "refresh a token", CONNECTIONS, 4);
  if (tokens.faults > 0) throw new Error(`${tokens.faults} faults at the token endpoint`);
  console.log(`Token endpoint: ${perSecond(tokens).toFixed(0)} rotations a second, p50 ${tokens.p50.toFixed(2)} ms.`);
}
