// Generated requests for every operation: valid calls of which one part is replaced by something that nobody thought
// of. Whatever comes, the answer is declared, is no 500, and a refusal has written nothing. A failure prints the
// smallest request and its seed.
import { type AnyOperation, isPublic, isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { account, type Implementation, implementWithEffects } from "../src/platform/kernel/implement-operation.ts";
import { createLog } from "../src/platform/wire/log.ts";
import { refuse } from "../src/platform/wire/problem.ts";
import type { Answer } from "./answer.ts";
import { leftBy } from "./checks/check.ts";
import { fixtures } from "./fixtures.ts";
import { attempt, type Change, type Ready, ready, type Stage, stageOn } from "./stage.ts";
import { service } from "./world.ts";

/** SEED and RUNS in the environment search further. */
const RUNS = Number(process.env.RUNS ?? 40);
const seed = Number(process.env.SEED ?? 20261115);

// Planted: one that fails on input which its schema allows, and one that writes before it refuses.
const faulty: Record<string, (each: Implementation) => Implementation> = {
  createProject: (each) => ({
    ...each,
    run: async (context, input) => {
      if (input.body.name.length > 10) throw new Error("not expected");
      return each.run(context, input);
    },
  }),
  createWorkspaceStatus: (each) =>
    implementWithEffects(each.operation, account(), async ({ transaction }) => {
      await transaction(async () => undefined);
      return refuse("name_taken");
    }),
};
const running = service();
const broken = service(
  {},
  {
    implementations: implementations.map((each) => faulty[each.operation.id]?.(each) ?? each),
    log: createLog("silent", { write() {} }),
  },
);
let [stage, brokenStage]: Stage[] = [];
beforeAll(async () => {
  stage = await stageOn(running, [...operations.values()], fixtures);
  // The Document is published before a generated request makes its Project private.
  await ready(stage, operations.get("getPublicDocument") as AnyOperation);
  brokenStage = await stageOn(broken, [...operations.values()], fixtures);
});
afterAll(() => Promise.all([stage?.admin.end(), brokenStage?.admin.end()]));

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 600 }),
  fc.constantFrom(
    "",
    " ",
    "null",
    "true",
    "-1",
    "1e999",
    "2026-02-30",
    "00000000-0000-0000-0000-000000000000",
    "__proto__",
    "'; drop table tasks; --",
    "%s%n",
    "{{7*7}}",
  ),
);
const value = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }),
  fc.double(),
  fc.constantFrom(null, true, [], {}, -0, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, [[[[]]]]),
);

interface Property {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  items?: Property;
}
const byFormat: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  email: fc.emailAddress(),
  date: fc.date({ noInvalidDate: true }).map((day) => day.toISOString().slice(0, 10)),
  "date-time": fc.date({ noInvalidDate: true }).map((day) => day.toISOString()),
};
/** What the schema allows, and a little more: text at its bound and one past it. */
function likely({
  type = "string",
  enum: allowed,
  format = "",
  pattern,
  maxLength,
  items,
}: Property): fc.Arbitrary<unknown> {
  if (Array.isArray(type))
    return fc.oneof(
      fc.constant(null),
      likely({ type: type[0] as string, enum: allowed, format, pattern, maxLength, items }),
    );
  if (allowed) return fc.constantFrom(...allowed);
  if (type === "array" && items) return fc.array(likely(items), { maxLength: 4 });
  if (type === "integer" || type === "number") return fc.oneof(fc.integer(), fc.double());
  if (type === "boolean") return fc.boolean();
  const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
  const bounds = maxLength
    ? [fc.constantFrom("x".repeat(maxLength), "x".repeat(maxLength + 1), "é".repeat(maxLength))]
    : [];
  return fc.oneof(byFormat[format] ?? (pattern ? fc.stringMatching(new RegExp(pattern)) : words), words, ...bounds);
}

/** One field replaced by something likely or not, removed or added, or another body altogether. */
const bodies = (operation: AnyOperation, body: unknown) => {
  const { properties } = operation.schemas.body as unknown as { properties: Record<string, Property> };
  const known = Object.entries(properties).map(([name, property]) => fc.tuple(fc.constant(name), likely(property)));
  const names = fc.constantFrom(...Object.keys(properties), "surprise", "__proto__", "id");
  const replaced = ([name, other]: [string, unknown]) => JSON.stringify({ ...(body as object), [name]: other });
  return fc.oneof(
    { weight: 6, arbitrary: fc.oneof(...known).map(replaced) },
    { weight: 3, arbitrary: fc.tuple(names, value).map(replaced) },
    { weight: 1, arbitrary: names.map((name) => replaced([name, undefined])) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        value.map((other) => JSON.stringify(other) ?? ""),
        text,
      ),
    },
  );
};
const queries = (operation: AnyOperation) => {
  const own = Object.keys((operation.schemas.query as { properties?: object } | undefined)?.properties ?? {});
  const names = fc.oneof(fc.constantFrom(...own, "limit", "cursor", "surprise"), text);
  const encoded = fc.oneof(
    text.map((plain) => encodeURIComponent(plain)),
    fc.webQueryParameters(),
  );
  return fc
    .array(
      fc.tuple(
        names.map((plain) => encodeURIComponent(plain)),
        encoded,
      ),
      { maxLength: 4 },
    )
    .map((pairs) => `?${pairs.map((pair) => pair.join("=")).join("&")}`);
};
const segment = fc
  .oneof(
    text.map((plain) => encodeURIComponent(plain)),
    fc.uuid(),
    fc.webSegment(),
  )
  .filter((part) => part !== "" && !/^\.+$/.test(part));
const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 250,
});

const FORM = "application/x-www-form-urlencoded";
/** The same fields as a form; what is no object of fields is sent as it is. */
function asForm(json: string): string {
  try {
    const form = new URLSearchParams();
    for (const [name, sent] of Object.entries(JSON.parse(json) as object)) form.set(name, String(sent));
    return form.toString();
  } catch {
    return json;
  }
}

/** How one call is spoiled. */
function changes(operation: AnyOperation, call: Ready): fc.Arbitrary<Change> {
  const ways: fc.Arbitrary<Change>[] = [
    queries(operation).map((query) => ({ query })),
    fc
      .tuple(
        fc.constantFrom("if-match", "idempotency-key", "x-svc-workspace-id", "traceparent", "accept", "range"),
        visible,
      )
      .map(([name, sent]) => ({ headers: { [name]: sent } })),
  ];
  if (operation.params.length > 0)
    ways.push(fc.tuple(fc.constantFrom(...operation.params), segment).map(([name, id]) => ({ ids: { [name]: id } })));
  if (operation.raw) ways.push(fc.uint8Array({ maxLength: 2000 }).map((bytes) => ({ raw: Buffer.from(bytes) })));
  else if (operation.schemas.body)
    ways.push(
      bodies(operation, call.body).map((raw) => ({ raw: operation.form ? asForm(raw) : raw })),
      bodies(operation, call.body).map((raw) => ({ raw: operation.form ? asForm(raw) : raw })),
    );
  return fc.oneof(...ways);
}

/**
 * Refusals that must write: a wrong code is counted, a ceremony is used up by its answer, and a replay ends the family.
 */
function usesUp({ id, oauth }: AnyOperation, { body }: Answer): boolean {
  if (oauth) return body?.error === "invalid_grant";
  if (id === "loginWithPasskey") return body?.code === "invalid_credentials";
  if (id === "createPasskey")
    return (body?.errors ?? []).some(({ pointer }: { pointer: string }) =>
      /^\/body\/(?:ceremony_token|response)$/.test(pointer),
    );
  return body?.code === "invalid_code";
}

async function holds(operation: AnyOperation, on: Stage, runs = RUNS): Promise<void> {
  const at = [...operations.keys()].indexOf(operation.id);
  const call = await ready(on, operation, isUnsafe(operation));
  const send = async (change: Change) => {
    const headers = {
      "content-type": operation.raw?.types[0] ?? (operation.form ? FORM : "application/json"),
      ...(operation.ifMatch ? { "if-match": "*" } : {}),
      ...change.headers,
    };
    const answer = await attempt(on, operation, call, { ...change, headers });
    expect(answer.status, answer.text).toBeLessThan(500);
    if (answer.body?.code === "invalid_request") expect(answer.body.errors.length, answer.text).toBeGreaterThan(0);
    const wrote = answer.status < 400 || !isUnsafe(operation) || usesUp(operation, answer);
    return { answer, refused: wrote ? null : answer.headers.get("x-correlation-id") };
  };
  const each = (check: (change: Change) => Promise<void>) =>
    fc.assert(fc.asyncProperty(changes(operation, call), check), {
      numRuns: isPublic(operation) ? runs / 2 : runs,
      seed: seed + at,
    });
  const refusals: string[] = [];
  await each(async (change) => {
    const { refused } = await send(change);
    if (refused !== null) refusals.push(refused);
  });
  const { rows } = await on.admin.query("select from audit_log where correlation_id = any($1) limit 1", [refusals]);
  if (rows.length === 0) return;
  // One of them has written. Now each is looked at by itself, so that the smallest is found.
  await each(async (change) => {
    const { answer, refused } = await send(change);
    if (refused !== null) expect(await leftBy(on, refused), answer.text).toEqual({ audited: 0, events: 0 });
  });
  expect.fail(`${operation.id} wrote although it refused, and did not do so again`);
}

for (const operation of operations.values())
  test.concurrent(`${operation.id} answers whatever it is sent`, ({ expect }) =>
    expect(holds(operation, stage as Stage)).resolves.toBeUndefined());

describe("the generator", () => {
  const named = (id: string) => operations.get(id) as AnyOperation;
  test("finds an operation that fails on input which its schema allows", () =>
    expect(holds(named("createProject"), brokenStage as Stage, 300)).rejects.toThrow(/Counterexample.*name/));
  test("finds an operation that writes before it refuses", async () => {
    const { cause } = await holds(named("createWorkspaceStatus"), brokenStage as Stage).then(
      () => expect.fail("was not found"),
      (error: Error) => error,
    );
    expect(String(cause)).toContain("audited");
  });
});
