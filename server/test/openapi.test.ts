// The OpenAPI document against the contract: nothing is left out, and every example is one that the service would
// accept or send.
import { errors } from "@svc/contract/errors.ts";
import { type AnyOperation, declaredErrors, successStatus, takesIfMatch, takesKey } from "@svc/contract/kit.ts";
import { oauthErrorOf } from "@svc/contract/oauth-errors.ts";
import { openApi, tagFor } from "@svc/contract/openapi.ts";
import { operations } from "@svc/contract/operations.ts";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { TSchema } from "typebox";
import { describe, expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { answerFaults } from "../src/platform/wire/input/validation.ts";
import { faultsOf } from "./comment-rules.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is read here the way that a stranger's tool reads it.
type Any = any;
const document = openApi(operations.values()) as Any;
const asMade = JSON.stringify(document);
// Each schema checks one example: optimising its code takes longer than the check.
const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
addFormats.default(ajv);
ajv.addSchema(document, "svc");

const at = (pointer: string) =>
  pointer
    .split("/")
    .slice(1)
    .reduce((node: Any, part) => node[part.replaceAll("~1", "/").replaceAll("~0", "~")], document);
const follow = (node: Any) => (node?.$ref ? at(node.$ref.slice(1)) : node);
/** By their text: most operations show the same problems and the same resources. */
const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
function expectValid(schema: Any, value: unknown, where: string) {
  const text = JSON.stringify(schema).replaceAll('"#/', '"svc#/');
  const check = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, check);
  check(value);
  expect(check.errors ?? [], where).toEqual([]);
}

const FORM = "application/x-www-form-urlencoded";

const all = [...operations.values()];
const describedAs = ({ path, method }: AnyOperation) => document.paths[path][method.toLowerCase()];
const parametersOf = (described: Any): Any[] => (described.parameters ?? []).map(follow);

/** Applies a rule to operations, and fails with every operation that breaks it. */
function hold(rule: (operation: AnyOperation, described: Any) => void, tested: readonly AnyOperation[] = all): void {
  expect(tested.length).toBeGreaterThan(0);
  const broken = tested.flatMap((operation) => {
    try {
      rule(operation, describedAs(operation));
      return [];
    } catch (error) {
      return [`${operation.id}: ${(error as Error).message}`];
    }
  });
  expect(broken).toEqual([]);
}

describe("each operation in the OpenAPI document", () => {
  test("is marked as upcoming if the specification says so", () =>
    hold(({ stage }, described) => {
      expect(described["x-svc-stage"]).toBe(stage);
      expect(/^Upcoming: /.test(described.description ?? "")).toBe(stage === "upcoming");
    }));

  test("has a name, a summary and a tag of the catalogue", () =>
    hold((operation, described) => {
      expect(described.operationId).toBe(operation.id);
      expect(described.summary).not.toBe("");
      if (tagFor(operation) === "OAuth") expect(operation.unnamed, "only what is not named has this tag").toBeDefined();
      if (operation.unnamed) expect(described.description).toContain("Not named by the specification");
    }));

  test("lists every error that it can answer with, under its status and with an example", () =>
    hold((operation, described) => {
      const shown = Object.entries(described.responses).flatMap(([status, response]) =>
        Object.entries<Any>(follow(response).content?.["application/problem+json"]?.examples ?? {}).map(
          ([code, example]) => {
            expect(follow(example).value).toMatchObject({ code, status: Number(status), type: `/problems/${code}` });
            expectValid({ $ref: "#/components/schemas/Problem" }, follow(example).value, code);
            return code;
          },
        ),
      );
      if (!operation.oauth) expect(shown.sort()).toEqual([...declaredErrors(operation)].sort());
    }));

  test("of OAuth describes the error that a client gets, under each status", () =>
    hold(
      (operation, { responses }) => {
        expect(declaredErrors(operation).length).toBeGreaterThan(0);
        for (const code of declaredErrors(operation)) {
          const { description, content } = follow(responses[errors[code].status]);
          expect(description).toContain(`\`${oauthErrorOf(code)}\`: `);
          expectValid(content["application/json"].schema, content["application/json"].example, code);
        }
      },
      all.filter(({ oauth }) => oauth),
    ));

  test("has valid examples of parameters", () => {
    let examples = 0;
    hold((_operation, described) => {
      for (const { example, schema, name } of parametersOf(described))
        if (example !== undefined) {
          examples++;
          expectValid(schema, example, name);
        }
    });
    expect(examples).toBeGreaterThan(all.length);
  });

  test("has a valid example of its body", () =>
    hold(
      ({ schemas, form }, { requestBody }) => {
        const { schema, example } = requestBody.content[form ? FORM : "application/json"];
        expectValid(schema, example, "request");
        expect(answerFaults(schemas.body as TSchema, example), "request").toEqual([]);
      },
      all.filter(({ schemas, raw }) => schemas.body && !raw),
    ));

  test("has a valid example of its answer", () =>
    hold(
      (operation, { responses }) => {
        const { schema, example } = responses[successStatus(operation)].content["application/json"];
        expectValid(schema, example, "answer");
        const rows = operation.kind === "page" ? example.items : [example];
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) expect(answerFaults(operation.schemas.result as TSchema, row), "answer").toEqual([]);
      },
      all.filter(({ schemas }) => schemas.result),
    ));

  test("requires no field that has a default", () =>
    hold((_operation, described) => {
      expect(parametersOf(described).filter(({ required, schema }) => required && "default" in schema)).toEqual([]);
    }));

  test("names the headers that the pipeline reads and sends", () =>
    hold((operation, described) => {
      const names = parametersOf(described).map(({ name }) => name);
      expect(names.includes("Idempotency-Key")).toBe(takesKey(operation));
      expect(names.includes("If-Match")).toBe(takesIfMatch(operation));
      const asksForCursor =
        "cursor" in ((operation.schemas.query as { properties?: object } | undefined)?.properties ?? {});
      expect(names.includes("cursor")).toBe(operation.kind === "page" || asksForCursor);
      for (const name of operation.params) expect(names).toContain(name);
    }));
});

test("every operation that takes the Workspace of a native client from a header declares it", () => {
  for (const { operation, access } of implementations) {
    const { auth, params, schemas } = operation;
    const { workspace_id } =
      (schemas.query as { properties?: { workspace_id?: object } } | undefined)?.properties ?? {};
    const takes =
      auth.includes("M") &&
      access.reach !== "account" &&
      !params.includes("workspace_id") &&
      workspace_id === undefined;
    const parameters = document.paths[operation.path][operation.method.toLowerCase()].parameters ?? [];
    const names = parameters.map((parameter: Any) => follow(parameter).name);
    expect([operation.id, names.includes("X-Svc-Workspace-ID")]).toEqual([operation.id, takes]);
  }
});

test("every action of a ChangeSet names its operation, and the type of its set", () => {
  const { schema } =
    document.paths["/workspaces/{workspace_id}/change-sets"].post.requestBody.content["application/json"];
  const change = schema.properties.changes.items;
  const check = ajv.compile(JSON.parse(JSON.stringify(change).replaceAll('"#/', '"svc#/')));
  expect(change.oneOf).toHaveLength(19);
  const actions: string[] = change.properties.action.enum;
  expect(change.oneOf.map(({ title }: Any) => title)).toEqual(actions);
  for (const each of change.oneOf) {
    const operation = operations.get(each["x-svc-operation"]);
    expect(operation, each.title).toBeDefined();
    expect(each.description).toContain(operation?.id);
    expect(change.properties.action.description).toContain(`\`${each.title}\` (${operation?.id})`);
    const body = operation?.schemas.body as Any;
    const typed = each.properties.set?.properties;
    const taken = each.title === "document.patch" ? undefined : body;
    expect(typed === undefined, each.title).toBe(taken === undefined);
    for (const field of Object.keys(typed ?? {})) expect(Object.keys(body.properties)).toContain(field);
  }
  const [task_id, revision] = ["01980000-0000-7000-8000-000000000001", "1"];
  expect(check({ action: "task.update", task_id, revision, set: { priority: "high" } })).toBe(true);
  expect(check({ action: "task.update", task_id, revision, set: { priority: "highest" } })).toBe(false);
  expect(check({ action: "task.assign", task_id, revision, set: { priority: "high" } })).toBe(false);
  expect(check({ action: "task.update", task_id, revision })).toBe(false);
});

test("every code of the catalogue has a title and a sentence that says what to do", () => {
  for (const [code, { status, title, detail }] of Object.entries(errors)) {
    expect(status, code).toBeGreaterThanOrEqual(400);
    expect(title, code).not.toMatch(/[.!]$/);
    expect(detail, code).toMatch(/\.$/);
  }
});

test("the document is the same each time it is made, also after its examples were checked", () => {
  expect(JSON.stringify(openApi(operations.values())) === asMade).toBe(true);
});

/** Texts of a node and of everything below it, one for each line. */
const textsOf = (node: Any): string[] =>
  Object.entries<Any>(node ?? {}).flatMap(([key, value]) =>
    typeof value === "object"
      ? textsOf(value)
      : typeof value === "string" && ["summary", "title", "description", "detail"].includes(key)
        ? value.split("\n")
        : [],
  );

test("no text begins without a subject or uses a banned phrase, like comments", () => {
  const texts = new Set(textsOf(document));
  expect(texts.size).toBeGreaterThan(1000);
  expect([...texts].flatMap((text) => faultsOf({ line: 0, text }))).toEqual([]);
});

test.each(["Of the Document patch.", "Lists Tasks. What you do not see is left out.", "It is told once."])(
  "the rule for texts finds %s",
  (description) => {
    expect(textsOf({ field: { description } }).flatMap((text) => faultsOf({ line: 0, text }))).toHaveLength(1);
  },
);
