// What every answer carries and what every success leaves: shape, headers, round-trips, audit and events.
import { setTimeout as sleep } from "node:timers/promises";
import { type AnyOperation, ignoresUnknown, isUnsafe, takesKey } from "@svc/contract/kit.ts";
import { newId } from "../../src/platform/wire/ids.ts";
import type { Answer } from "../answer.ts";
import { valuesFor } from "../covering-set.ts";
import { expectDeclared } from "../declared.ts";
import { attempt, credentialOf, firstSuccess, pathOf, ready, type Stage } from "../stage.ts";
import { asSession, newKey } from "../world.ts";
import { answersIn, type Checks, idsOf, inWorkspace, leftBy, refusedWith, same, signedIn } from "./check.ts";

export const answers: Checks = {
  "a success has the declared status and shape": {
    ofSuccess: true,
    async run(operation, stage) {
      const { answer } = await firstSuccess(stage, operation);
      expectDeclared(operation, answersIn(answer));
    },
  },
  "what a 201 created is read where its Location says, if it can be read alone": {
    of: ({ status, creates, auth }) => status === 201 && typeof creates === "string" && auth.includes("S"),
    async run(operation, stage) {
      const shape = (path: string) => path.replace(/\{\w+\}/g, "{}");
      const readable = ({ method, path }: AnyOperation) =>
        method === "GET" && shape(path) === shape(String(operation.creates));
      if (!stage.operations.some(readable)) return;
      const { call, answer } = await firstSuccess(stage, operation);
      const made = answersIn(answer);
      const session = made.cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1];
      const reader = session ? asSession(stage.running, session) : call.person.call;
      const seen = answersIn(await reader("GET", made.headers.get("location") ?? ""));
      same(seen.body.id, made.body.id, "id");
    },
  },
  "a correlation id is kept, or made where none is given": {
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const ids = [
        ["abc", true],
        ["x".repeat(200), true],
        ["x".repeat(201), false],
        ["a b", false],
        ["", false],
      ] as const;
      for (const [sent, kept] of valuesFor(stage, operation, ids)) {
        // Refused by all, also by those who ignore what they do not know.
        const query = "?surprise=1&surprise=1";
        const answer = await attempt(stage, operation, call, { as: {}, query, headers: { "x-correlation-id": sent } });
        const told = answer.headers.get("x-correlation-id") ?? "";
        same(
          kept ? told === sent : /^[\x21-\x7e]{1,200}$/.test(told) && told !== sent,
          true,
          `correlation id for ${sent.slice(0, 9)}`,
        );
        if (!operation.oauth) same(answer.body.correlation_id, told, "correlation_id in the body");
      }
    },
  },
  "a method that the path does not have is refused with 405": {
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const shape = (path: string) => path.replace(/\{\w+\}/g, "{}");
      const declared = stage.operations
        .filter(({ path }) => shape(path) === shape(operation.path))
        .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
      const others = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] as const;
      const undeclared = others.filter((name) => !(declared as string[]).includes(name));
      for (const method of valuesFor(stage, operation, undeclared)) {
        const answer = await stage.send(method, pathOf(operation, call.ids));
        refusedWith(answer, 405, method === "HEAD" ? undefined : "method_not_allowed");
        same(answer.headers.get("allow")?.split(", ").sort(), [...declared].sort(), "Allow");
      }
    },
  },
  "HEAD answers what GET does, without the body": {
    of: ({ method, socket }) => method === "GET" && socket === undefined,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const both = async (): Promise<[Answer, Answer]> => [
        answersIn(await attempt(stage, asHead(operation), call)),
        answersIn(await attempt(stage, operation, call)),
      ];
      let [head, got] = await both();
      // The tests of other operations may change the resource between the two.
      for (let left = 5; left > 0 && head.headers.get("etag") !== got.headers.get("etag"); left--)
        [head, got] = await both();
      for (const name of ["content-type", "etag"]) same(head.headers.get(name), got.headers.get(name), name);
      same([head.status, head.text].join(), [got.status, ""].join(), "status and body");
      same(head.cookies.length, 0, "cookies");
    },
  },
  "a read takes at most 2 round-trips, a write at most 5": {
    of: signedIn,
    async run(operation, stage) {
      const { trips } = answersIn((await firstSuccess(stage, operation)).answer);
      const most = isUnsafe(operation) ? 5 : 2;
      if (trips < 1 || trips > most) throw new Error(`took ${trips} round-trips, at most ${most} are allowed`);
    },
  },
  "a write leaves an audit row and a domain event": {
    of: isUnsafe,
    async run(operation, stage) {
      const answer = answersIn((await firstSuccess(stage, operation)).answer);
      const { audited, events } = await leftBy(stage, answer.headers.get("x-correlation-id"));
      if (audited === 0) throw new Error("left no audit row");
      if (events === 0 && !operation.quiet) throw new Error("left no domain event and does not say why (`quiet`)");
    },
  },
};

// Journal marks are left out: a timer writes them up to two seconds after an earlier commit, whatever is requested
// meanwhile.
const TABLES = `
select quote_ident(c.relname) as name from pg_class c
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'journal_marks' order by 1`;
/** The query by its connection, which prepares it once. */
const footprints = new WeakMap<Stage["admin"], Promise<{ name: string; text: string }>>();
async function footprintOf(admin: Stage["admin"]) {
  const { rows } = await admin.query<{ name: string }>(TABLES);
  const lines = rows.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' rows ' || coalesce(sum(xmin::text::bigint), 0) as rows from ${name}`,
  );
  return { name: "footprint", text: lines.join(" union all ") };
}
/**
 * Of every table the number of rows and the sum of the transactions that wrote them: any insert, update or delete
 * shows.
 */
export async function footprint({ admin }: Pick<Stage, "admin">): Promise<Record<string, string>> {
  const query = footprints.get(admin) ?? footprintOf(admin);
  footprints.set(admin, query);
  const { rows } = await admin.query<{ name: string; rows: string }>(await query);
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
}

/** The same call with HEAD. */
const asHead = (operation: AnyOperation) => ({ ...operation, method: "HEAD" }) as unknown as AnyOperation;
/** A browser is led through a sign-in by GET: that is no read, and says so. */
const isRead = (operation: AnyOperation) => !isUnsafe(operation) && !operation.session && !operation.quiet;

/** What was answered 503 did not happen: it is asked again, as a client would, when Retry-After says. */
async function served(ask: () => Promise<Answer>): Promise<Answer> {
  for (let left = 60; ; left--) {
    const answer = await ask();
    const wait = answer.headers.get("retry-after");
    if (answer.status !== 503 || wait === null || left === 0) return answer;
    await sleep(1000 * Number(wait));
  }
}

/**
 * Reads, refusals of every sort and replays of all these operations at once, and then the whole database is as it was.
 */
export async function leaveNoTrace(operations: readonly AnyOperation[], stage: Stage): Promise<void> {
  const viewer = await stage.home.viewer();
  const ask = (...asked: Parameters<typeof attempt>) => served(() => attempt(...asked));
  // That a credential was used is noted every few minutes, by whatever uses it.
  await stage.admin.query("update credentials set last_used_at = now()");
  const prepare = async (operation: AnyOperation) => {
    const call = await ready(stage, operation);
    const others = await ready(stage, operation, false, stage.foreign);
    // Made here, because a credential that is made at its first use would be seen as written by it.
    if (signedIn(operation)) await credentialOf(stage, call.person, operation.auth[0] ?? "S");
    const as = signedIn(operation) ? await credentialOf(stage, viewer, operation.auth[0] ?? "S") : {};
    if (!takesKey(operation)) return { operation, call, others, as, done: null };
    const done = { call: await ready(stage, operation, true), key: newKey() };
    const first = await ask(stage, operation, done.call, { key: done.key });
    // What was refused has nothing to replay, and its repetition would be the first to do something.
    if (first.status >= 400) throw new Error(`${operation.id} answered ${first.status} ${first.text}`);
    return { operation, call, others, as, done };
  };
  const isAlone = ({ id }: AnyOperation) => stage.fixtures[id]?.alone === true;
  const prepared = await inTurns(
    operations.filter((operation) => !isAlone(operation)),
    prepare,
  );
  // Of what a Workspace has once, one after the other.
  for (const operation of operations.filter(isAlone)) prepared.push(await prepare(operation));
  const before = await footprint(stage);
  await inTurns(prepared, async ({ operation, call, others, as, done }) => {
    // Some ignore what they do not know.
    if (!ignoresUnknown(operation)) await ask(stage, operation, call, { query: "?surprise=1" });
    if (signedIn(operation)) await ask(stage, operation, call, { as: {} });
    if (idsOf(operation).length > 0) {
      // What is public is shown to everybody, of whichever tenant it is.
      if (signedIn(operation)) await ask(stage, operation, call, { ids: others.ids });
      await ask(stage, operation, call, {
        ids: Object.fromEntries(idsOf(operation).map((name) => [name, newId()])),
      });
    }
    if (operation.ifMatch) await ask(stage, operation, call, { ifMatch: "987654321" });
    if (operation.method === "GET") await ask(stage, asHead(operation), call);
    if (isRead(operation)) await ask(stage, operation, call);
    else if (inWorkspace(operation) && !operation.private) await ask(stage, operation, call, { as });
    if (done) await ask(stage, operation, done.call, { key: done.key });
  });
  const after = await footprint(stage);
  const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
  if (changed.length > 0) throw new Error(`reads, refusals or replays wrote to ${changed.join(", ")}`);
}

/** Eight at a time. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}
