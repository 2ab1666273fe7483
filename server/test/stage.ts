// Where the checks over all operations play: two Workspaces with one of everything that a path can name, and valid
// calls of any operation made from its contract and its line in fixtures.ts. The stage asserts nothing itself.
import { request } from "node:http";
import { type AnyOperation, type Credential, isPublic, isUnsafe, P, takesKey } from "@svc/contract/kit.ts";
import pg from "pg";
import { newSecret } from "../src/platform/wire/ids.ts";
import type { Answer } from "./answer.ts";
import type { Fixture } from "./fixtures/fixture.ts";
import { makers } from "./fixtures.ts";
import type { Home } from "./home.ts";
import {
  insertCredential,
  newKey,
  type Options,
  type Person,
  sessionHeaders,
  type TestService,
  type World,
  world,
} from "./world.ts";

export interface Stage {
  running: TestService;
  home: Home;
  foreign: Home;
  operations: readonly AnyOperation[];
  fixtures: Record<string, Fixture>;
  /** Past row-level security, for looking at what a call left behind. */
  admin: pg.Client;
  send: TestService["send"];
  /**
   * Whether a rule sends an operation only a part of the values that mean the same to all of them: see valuesFor of
   * covering-set.ts.
   */
  isSampled: boolean;
  /** The status when a header is sent on two lines, which fetch cannot do. */
  sendTwice(method: string, path: string, headers: Record<string, string>, twice: string): Promise<number>;
}

/** `own` makers come before the usual ones; without `place` it is in a Workspace of its own. */
export async function homeIn(running: TestService, own: typeof makers = {}, place?: World): Promise<Home> {
  return homeOn(running, place ?? (await world(running)), own);
}

function homeOn(running: TestService, place: World, own: typeof makers): Home {
  const kept = new Map<string, Promise<unknown>>();
  const once = <T>(name: string, make: () => Promise<T>): Promise<T> => {
    if (!kept.has(name)) kept.set(name, make());
    return kept.get(name) as Promise<T>;
  };
  const home: Home = {
    ...place,
    running,
    make: (parameter) => {
      const maker = own[parameter] ?? makers[parameter];
      if (!maker) throw new Error(`no file of server/test/fixtures/ has a maker for the path parameter ${parameter}`);
      return maker(home);
    },
    shared: (parameter) => once(parameter, () => home.make(parameter)),
    id: async (parameter) => (await home.shared(parameter)).id,
    viewer: () => once("viewer", () => place.member("viewer")),
    former: (state) =>
      once(state, async () => {
        const person = await place.member("admin");
        const change = "update memberships set state = $1 where workspace_id = $2 and user_id = $3";
        await running.sql(change, [state, place.workspaceId, person.userId]);
        return person;
      }),
    joinAnother: async () => {
      const { workspaceId, member } = await world(running);
      const { userId } = await member("member");
      const change = "update memberships set user_id = $1 where workspace_id = $2 and user_id = $3";
      return running.sql(change, [place.owner.userId, workspaceId, userId]);
    },
    registered: (password) =>
      once("registered", async () => {
        const body = { email: `${newKey()}@example.com`, password, display_name: "Ada" };
        return (await running.send("POST", "/auth/register", { body })).body.email;
      }),
  };
  return home;
}

export async function stageOn(
  running: TestService,
  operations: readonly AnyOperation[],
  fixtures: Record<string, Fixture>,
): Promise<Stage> {
  const [home, foreign] = await Promise.all([homeIn(running), homeIn(running)]);
  const admin = new pg.Client({ connectionString: running.databaseUrl, pipeline: true } as pg.ClientConfig);
  await admin.connect();
  // What each call left behind is looked for thousands of times.
  await admin.query("create index if not exists audit_log_of_request on audit_log (correlation_id)");
  await admin.query("create index if not exists domain_events_of_command on domain_events (command_id)");
  return {
    running,
    home,
    foreign,
    operations,
    fixtures,
    admin,
    isSampled: false,
    send: running.send,
    sendTwice: (method, path, headers, twice) =>
      new Promise((resolve, reject) => {
        const lines = Object.entries(headers).flatMap(([name, value]) =>
          name === twice ? [name, value, name, value] : [name, value],
        );
        const url = new URL(running.url.replace("localhost", "127.0.0.1"));
        request(
          url,
          {
            method,
            path: path.startsWith("/oauth/") ? path : `/api/v1${path}`,
            headers: ["host", url.host, ...lines] as never,
          },
          (response) => response.resume().on("end", () => resolve(response.statusCode as number)),
        )
          .on("error", reject)
          .end();
      }),
  };
}

/** A valid call, not yet sent. */
export interface Ready {
  person: Person;
  ids: Record<string, string>;
  body: unknown;
  query: string;
  revision: string;
}

function fixtureOf(stage: Pick<Stage, "fixtures">, id: string): Fixture {
  const fixture = stage.fixtures[id];
  if (!fixture) throw new Error(`${id} has no line in server/test/fixtures/`);
  if (fixture.like === undefined) return fixture;
  const { caller, make, before } = fixtureOf(stage, fixture.like);
  return { ...(caller && { caller }), ...(make && { make }), ...(before && { before }), ...fixture };
}

/** `fresh` where the call is to succeed and would change what others share. */
export async function ready(
  stage: Pick<Stage, "fixtures" | "home">,
  operation: AnyOperation,
  fresh = false,
  home = stage.home,
): Promise<Ready> {
  const fixture = fixtureOf(stage, operation.id);
  const ids: Record<string, string> = {};
  let revision = "1";
  for (const parameter of operation.params) {
    const fixed = fixture.make?.[parameter];
    const made = await (fixed?.(home) ??
      (fresh && operation.status !== 201 ? home.make(parameter) : home.shared(parameter)));
    ids[parameter] = made.id;
    revision = made.revision ?? revision;
  }
  if (fresh) await fixture.before?.(home, ids);
  const person = fixture.caller ? await fixture.caller(home) : home.owner;
  const body = operation.schemas.body ? await (fixture.body?.(home, person, ids) ?? operation.example) : undefined;
  const query = typeof fixture.query === "function" ? await fixture.query(home, person) : (fixture.query ?? "");
  return { person, ids, body, query, revision };
}

/** Two rows at least, so that there is a next page. */
export async function withRows(stage: Stage, operation: AnyOperation): Promise<Ready> {
  const call = await ready(stage, operation);
  const { row } = fixtureOf(stage, operation.id);
  for (let made = 0; row && made < 2; made++) await row(stage.home, call.ids);
  return call;
}

export const pathOf = (operation: AnyOperation, ids: Record<string, string>) =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] as string);

export interface Change extends Options {
  ids?: Record<string, string>;
  query?: string;
  /** Headers of the credential, in place of the caller's own. */
  as?: Record<string, string>;
  /** Leaves out what the operation requires. */
  without?: "key" | "ifMatch";
}

/** Sends the call with everything that the operation requires, save for what is changed. */
export async function attempt(
  stage: Stage,
  operation: AnyOperation,
  call: Ready,
  change: Change = {},
): Promise<Answer> {
  const { ids, query = call.query, as, without, ...options } = change;
  const credential =
    as ?? (isPublic(operation) ? {} : await credentialOf(stage, call.person, operation.auth[0] ?? "S"));
  const { headers: own } = fixtureOf(stage, operation.id);
  const path = pathOf(operation, { ...call.ids, ...ids }) + query;
  const line = `${operation.method} /api/v1${path}`;
  const headers = typeof own === "function" ? own(options.raw ?? options.body ?? call.body, line) : own;
  const sent: Options = { ...options, headers: { ...credential, ...headers, ...options.headers } };
  if (operation.idempotencyKey && without !== "key") sent.key ??= newKey();
  if (operation.ifMatch && without !== "ifMatch" && !sent.headers?.["if-match"]) sent.ifMatch ??= call.revision;
  if (operation.raw) {
    sent.raw ??= call.body as Buffer;
    sent.headers = { "content-type": operation.raw.types[0] as string, ...sent.headers };
  }
  if (sent.raw === undefined && call.body !== undefined) sent.body ??= call.body;
  if (operation.form && sent.body !== undefined) {
    sent.raw = new URLSearchParams(sent.body as Record<string, string>).toString();
    sent.headers = { "content-type": "application/x-www-form-urlencoded", ...sent.headers };
    delete sent.body;
  }
  return stage.send(operation.method, path, sent);
}

/** A success: what was called, the key that it has where it takes one, and its answer. */
export interface Done {
  call: Ready;
  key: string | undefined;
  answer: Answer;
}
const successes = new WeakMap<Stage, Map<string, Promise<Done>>>();

/**
 * The first success of an operation, which all rules share that say what a success carries and leaves, and what its
 * repetition does.
 */
export function firstSuccess(stage: Stage, operation: AnyOperation): Promise<Done> {
  const kept = successes.get(stage) ?? new Map<string, Promise<Done>>();
  successes.set(stage, kept);
  const succeed = async (): Promise<Done> => {
    const call = await ready(stage, operation, isUnsafe(operation));
    // As long as a key may be.
    const key = takesKey(operation) ? newKey().padEnd(200, "k") : undefined;
    return { call, key, answer: await attempt(stage, operation, call, key === undefined ? {} : { key }) };
  };
  const found = kept.get(operation.id) ?? succeed();
  kept.set(operation.id, found);
  return found;
}

const kinds = { S: ["session", "ses"], T: ["personal", "pat"], C: ["developer", "dat"], M: ["native", "nat"] } as const;
export const credentialLetters = ["S", "T", "C", "M"] as const;
const known = new WeakMap<Person, Map<string, Promise<Record<string, string>>>>();

/**
 * Headers with a credential of this kind, bound to the Workspace that the person's session is in; `spoil` makes it
 * unusable.
 */
export function credentialOf(
  stage: Stage,
  person: Person,
  letter: Credential,
  scopes = ["svc:read", "svc:write", "svc:discuss"],
  spoil = "",
): Promise<Record<string, string>> {
  if (letter === P || (letter === "S" && !spoil)) return Promise.resolve(sessionHeaders(person.session));
  const kept = known.get(person) ?? new Map<string, Promise<Record<string, string>>>();
  known.set(person, kept);
  const name = `${letter} ${scopes} ${spoil}`;
  const found = kept.get(name) ?? newCredential(stage, person, letter, scopes, spoil);
  kept.set(name, found);
  return found;
}

async function newCredential(
  stage: Stage,
  person: Person,
  letter: keyof typeof kinds,
  scopes: string[],
  spoil: string,
): Promise<Record<string, string>> {
  const [kind, prefix] = kinds[letter];
  const secret = newSecret(prefix);
  const { rows } = await stage.admin.query(
    "select workspace_id from credentials where secret_hash = sha256($1::bytea)",
    [person.session],
  );
  // A native token is bound to no Workspace: each request names its own.
  const workspaceId: string | null = rows[0].workspace_id;
  await insertCredential(stage.running, kind, secret, person.userId, letter === "M" ? null : workspaceId, scopes);
  if (spoil) await stage.admin.query(`update credentials set ${spoil} where secret_hash = sha256($1::bytea)`, [secret]);
  if (letter === "S") return sessionHeaders(secret);
  const authorization = `Bearer ${secret}`;
  return letter === "M" && workspaceId ? { authorization, "x-svc-workspace-id": workspaceId } : { authorization };
}

const REFRESHING = `
with granted as (
  insert into oauth_grants (id, family, client_id, client_name, user_id, scopes)
  select gen_random_uuid(), family, 'svc-stray', 'Stray', $1::uuid, '{svc:read}' from unnest($2::text[]) family
  returning id, family
)
insert into oauth_refresh_tokens (token_hash, grant_id, expires_at)
select sha256(t.secret::bytea), granted.id, now() + interval '1 day'
from granted join unnest($2::text[], $3::text[]) t(family, secret) using (family)`;

/**
 * Secrets of this person that are good elsewhere: at the MCP server and at the token endpoints. And some that look like
 * others.
 */
export function straySecrets(stage: Stage, person: Person): Promise<string[]> {
  const found = strays.get(person) ?? newStrays(stage, person);
  strays.set(person, found);
  return found;
}
const strays = new WeakMap<Person, Promise<string[]>>();
async function newStrays({ running, admin }: Stage, { userId }: Person): Promise<string[]> {
  const access = newSecret("mat");
  await insertCredential(running, "mcp", access, userId, null, ["svc:read", "svc:write"]);
  const refresh = [newSecret("drt"), newSecret("nrt"), newSecret("mrt")];
  await admin.query(REFRESHING, [userId, ["developer", "native", "mcp"], refresh]);
  return [access, ...refresh, newSecret("msk"), newSecret("inv"), newSecret("mfa"), newSecret("lnk")];
}
