// A caller who cannot read a thing gets the same status, body and headers as for one that does not exist: for every
// operation with an identifier in its path and every kind of caller. The contract says who reads what: a thing is read
// at its own path, or in the list that its path is under.
import { type AnyOperation, type Credential, isPublic, isUnsafe, scopeOf } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { defaultRates } from "../src/platform/wire/limits/rate-limit.ts";
import type { Answer } from "./answer.ts";
import { isPicked, representatives } from "./covering-set.ts";
import { fixtures } from "./fixtures.ts";
import type { Home } from "./home.ts";
import { plantedImplementations } from "./planted.ts";
import { playing, privateHome } from "./role-matrix-cast.ts";
import { attempt, credentialLetters, credentialOf, pathOf, type Ready, ready, type Stage, stageOn } from "./stage.ts";
import { type Person, service } from "./world.ts";

/** Limits that nobody reaches, so that their headers are compared as well. */
const many = { requests: 900_000, seconds: 60 };
const rateLimits = Object.fromEntries(Object.keys(defaultRates).map((name) => [name, many])) as typeof defaultRates;
// ---- what a path names
// -----------------------------------------------------------------------------------------------------------

/** Words that everybody knows, and no things. */
const WORDS = new Set(["category", "kind", "provider", "reaction", "target_kind"]);
const unknown: Record<string, (found: string) => string[]> = {
  project_code: () => ["ZZNOSUCH"],
  // The first code names no Project, the second one a Project whose key the caller may know.
  task_code: (found) => ["ZZNOSUCH-1", found.replace(/\d+$/, "999999")],
  milestone_code: (found) => (found.includes("-") ? ["ZZNOSUCH-M1", found.replace(/\d+$/, "999999")] : ["999999"]),
  username: () => [`nobody-${newId().slice(-12)}`],
  public_id: (found) => [found.replace(/./g, "a")],
  revision: () => ["999999"],
  document_path: () => ["no/such"],
};
const others = (name: string, found: string) => unknown[name]?.(found) ?? [newId()];

/** Path at which a parameter's thing is read, if the contract has none; null: only its owner reads it. */
const elsewhere: Record<string, string | null> = {
  upload_id: null,
  interaction_id: null,
  approval_id: "/workspaces/{workspace_id}/agents/{agent_id}/runs/{run_id}/actions",
  session_id: null,
  revision: "/tasks/{task_id}/description-revisions",
  binding_id: "/projects/{project_id}/integration-bindings",
  subscription_id: "/integration-bindings/{binding_id}/subscriptions",
  integration_delivery_id: "/integration-installations/{installation_id}/deliveries",
  request_id: "/workspaces/{workspace_id}/integration-requests",
  command_id: "/workspaces/{workspace_id}/operation-receipts/{command_id}",
  inbox_item_id: "/workspaces/{workspace_id}/inbox",
  relation_id: "/tasks/{task_id}/relations",
  entry_id: "/tasks/{task_id}/time-entries",
  state_id: "/workspaces/{workspace_id}/project-states",
  // The definition of a lifecycle; that of an Agent is read at its own path.
  definition_id: "/workspaces/{workspace_id}/lifecycle-definitions",
  target_id: "/tasks/{target_id}",
  user_id: "/workspaces/{workspace_id}/members",
  id: "/tasks/{id}",
};
interface Reading {
  path: string;
  auth: readonly Credential[];
}
const reads: Reading[] = [...operations.values()].filter((operation) => !isUnsafe(operation));
function readingOf({ path: of, route }: AnyOperation, name: string): Reading | null {
  const [above, part] = [of.slice(0, of.indexOf(`/{${name}}`)), `/{${name}}`];
  const own = reads.find(({ path }) => path === above + part);
  if (!own && name in elsewhere) return elsewhere[name] ? { path: elsewhere[name], auth: ["S"] } : null;
  const found = own ?? reads.find(({ path }) => path.endsWith(part)) ?? reads.find(({ path }) => path === above);
  return found ?? expect.fail(`where is ${name} of ${route} read? Say it in elsewhere`);
}

// ---- who asks
// --------------------------------------------------------------------------------------------------------------------

const INSIDE = ["admin", "member", "viewer", "outsider", "newcomer", "suspended", "removed"];
const columns = { visible: INSIDE, hidden: [...INSIDE, "lead", "partner", "reader", "stranger", "guest"] };

type Place = keyof typeof columns;
/** Selects callers by their names, such as "viewer by T". */
type Asks = (caller: string) => boolean;
interface Caller {
  name: string;
  /** Null: not signed in. */
  person: Person | null;
  as: Record<string, string>;
  /** Whatever the person may read, this credential may not do this. */
  blind: boolean;
}
const COUNTED = /^(?:ratelimit|x-ratelimit-remaining|x-ratelimit-reset|date)$/;
export const shownOf = ({ status, text, headers }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !COUNTED.test(name)),
});
export const SAME_ID = { "x-correlation-id": "one-and-the-same" };

/** A third of the callers of an operation that stands for its class; the first tier asks for these. */
export const isAskedFirst = ({ id }: AnyOperation, place: Place, caller: string): boolean =>
  representatives.has(id) && isPicked(id, place, caller);

const named = [...operations.values()].filter(
  (operation) => !isPublic(operation) && operation.params.some((name) => !WORDS.has(name)),
);

/** Starts a service with two Workspaces, for one test file. */
export function hiddenThings() {
  const running = service({ rateLimits }, { implementations: [...implementations, ...plantedImplementations] });
  let stage: Stage;
  let homes: Record<"visible" | "hidden", Home>;
  beforeAll(async () => {
    const { updateTaskRelation, deleteTaskRelation } = fixtures;
    // On the Task that is looked at.
    const relation = { ...deleteTaskRelation, make: updateTaskRelation?.make };
    const all = { ...fixtures, deleteTaskRelation: relation, tellsThatItExists: {} };
    stage = await stageOn(running, [...operations.values()], all);
    homes = { visible: stage.home, hidden: await privateHome(running) };
  }, 60_000);
  afterAll(() => stage?.admin.end());

  /**
   * A caller for each kind of credential that is accepted; a native one, which names its Workspace, once in its own and
   * once in the one it asks about.
   */
  async function callersOf(operation: AnyOperation, home: Home, place: Place, asks: Asks): Promise<Caller[]> {
    const letters = credentialLetters.filter((letter) => operation.auth.includes(letter));
    const callers: Caller[] = asks("nobody") ? [{ name: "nobody", person: null, as: {}, blind: false }] : [];
    const add = async (name: string, person: Person, scopes?: string[]) => {
      const blind = scopes !== undefined && !scopes.includes(scopeOf(operation) ?? "");
      for (const letter of letters) {
        if (scopes && (letter === "S" || letter === "M")) continue;
        const [own, there] = [`${name} by ${letter}`, `${name} by M, there`];
        if (!asks(own) && !(letter === "M" && asks(there))) continue;
        const as = await credentialOf(stage, person, letter, scopes);
        if (asks(own)) callers.push({ name: own, person, as, blind });
        if (letter !== "M" || !asks(there)) continue;
        callers.push({ name: there, person, as: { ...as, "x-svc-workspace-id": home.workspaceId }, blind });
      }
    };
    for (const column of columns[place])
      for (const [at, person] of (await playing(home, stage.foreign, column)).entries())
        await add(at === 0 ? column : `${column} again`, person);
    const [member] = await playing(home, stage.foreign, "member");
    for (const person of [home.owner, member as Person]) {
      await add("without the scope", person, ["svc:discuss"]);
      await add("only reading", person, ["svc:read"]);
    }
    return callers;
  }

  // ---- what they are told
  // ----------------------------------------------------------------------------------------------------------

  const asked = new Map<string, Promise<boolean>>();
  /** Whether this person reads what the path names. */
  async function canRead(operation: AnyOperation, name: string, call: Ready, home: Home, { person, blind }: Caller) {
    const reading = readingOf(operation, name);
    if (reading === null || person === null || blind) return false;
    const ids: Record<string, string> = {
      task_id: await home.id("task_id"),
      project_id: await home.id("project_id"),
      binding_id: await home.id("binding_id"),
      installation_id: (await home.shared("installation_id")).id,
      workspace_id: home.workspaceId,
      ...call.ids,
    };
    const path = pathOf(reading as AnyOperation, ids);
    const as = await credentialOf(stage, person, reading.auth[0] as Credential);
    const key = `${person.session} ${path} ${ids[name]}`;
    const found =
      asked.get(key) ?? isShown(path, as, reading.path.endsWith(`{${name}}`) ? null : (ids[name] as string));
    asked.set(key, found);
    return found;
  }
  /** Reads the thing by itself, or the pages of its list. */
  async function isShown(path: string, as: Record<string, string>, id: string | null): Promise<boolean> {
    for (let query = ""; ; ) {
      const { status, text, body } = await running.send("GET", path + query, { headers: as });
      if (status >= 300 || id === null) return status < 300;
      if (new RegExp(`[":]${id}[",}]`).test(text)) return true;
      if (!body.next_cursor) return false;
      query = `?cursor=${encodeURIComponent(body.next_cursor)}`;
    }
  }

  /** Returns a line for each thing whose existence a caller learns. */
  async function told(operation: AnyOperation, place: Place, asks: Asks = () => true): Promise<string[]> {
    const home = homes[place];
    const call = await ready(stage, operation, false, home);
    const leaks: string[] = [];
    for (const caller of await callersOf(operation, home, place, asks)) {
      const ask = async (ids: Record<string, string>) =>
        shownOf(await attempt(stage, operation, call, { as: caller.as, ids, headers: SAME_ID }));
      const names = operation.params.filter((name) => !WORDS.has(name));
      const unread = [];
      for (const name of names) if (!(await canRead(operation, name, call, home, caller))) unread.push(name);
      if (unread.length === 0) continue;
      const there = await ask({});
      for (const name of unread)
        for (const id of others(name, call.ids[name] as string)) {
          const missing = await ask({ [name]: id });
          if (there.status < 400 || JSON.stringify(there) !== JSON.stringify(missing))
            leaks.push(
              `${caller.name}, ${name}: ${there.status} ${there.text} and not ${missing.status} ${missing.text}`,
            );
        }
    }
    return leaks;
  }

  /** Declares a test for each operation with something in its path, in both Workspaces. */
  function testHidden(
    applies: (operation: AnyOperation) => boolean,
    asks: (operation: AnyOperation, place: Place, caller: string) => boolean = () => true,
  ): void {
    describe.each(["visible", "hidden"] as const)("in a Workspace whose Projects are %s", (place) => {
      for (const operation of named.filter(applies))
        test.concurrent(operation.route, async ({ expect }) => {
          expect(await told(operation, place, (caller) => asks(operation, place, caller))).toEqual([]);
        });
    });
  }

  return { running, testHidden, told, stage: () => stage, homes: () => homes };
}
