// What the declarations say about answers: where what was created is, and which answers their revision covers.
import { expect, test } from "vitest";
import { takesPrefer } from "./kit.ts";
import { operations } from "./operations.ts";

const all = [...operations.values()];
const shape = (path: string) => path.replace(/\{\w+\}/g, "{}");
const fieldsOf = ({ schemas }: { schemas: { result?: unknown } }) =>
  Object.keys((schemas.result as { properties?: object } | undefined)?.properties ?? {});

test("every 201, and nothing else, says where what it created is, or that it has no address", () => {
  const silent = all.filter(({ status, creates }) => (status === 201) !== (creates !== undefined));
  expect(silent.map(({ id }) => id)).toEqual([]);
});

test("that address is one that is served, and is made of fields of the answer and names of the path", () => {
  const served = new Set(all.map(({ path }) => shape(path)));
  for (const operation of all) {
    const { id, creates, params } = operation;
    if (!creates) continue;
    expect(served.has(shape(creates)), `${id} leads to ${creates}`).toBe(true);
    const names = [...creates.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect([...fieldsOf(operation), ...params], id).toEqual(expect.arrayContaining(names));
  }
});

/** What is in them changes without their revision, and why. */
const moving: Record<string, string> = {
  getDiscussPreferences: "the time zone of the account",
  getProjectShortcuts: "a Project that is not seen any more is left out",
  getTaskSubscription: "the reasons follow from what others do",
  getCurrentWork: "the Task that it shows changes by itself",
};

test("an answer with a revision and without capabilities is unchanging, or says here what moves in it", () => {
  for (const operation of all.filter(({ method, kind }) => method === "GET" && kind === "one")) {
    const fields = fieldsOf(operation);
    const could =
      ["revision", "content_revision"].some((field) => fields.includes(field)) &&
      !fields.includes("capabilities") &&
      !operation.include;
    const expected = could && !(operation.id in moving);
    expect(operation.unchanging === true, operation.id).toBe(expected);
    if (operation.id in moving) expect(could, operation.id).toBe(true);
  }
  expect(all.filter(({ method, kind, unchanging }) => unchanging && (method !== "GET" || kind !== "one"))).toEqual([]);
});

test("a secret that is shown once is never spared, and nothing is where nobody is known", () => {
  for (const operation of all.filter(({ secret, auth }) => secret || auth.includes("P")))
    expect(takesPrefer(operation), operation.id).toBe(false);
});

interface Shape {
  properties?: Record<string, Shape>;
  items?: Shape;
}
/** The objects of an answer, each with its fields. */
const objectsIn = (shape: Shape | undefined): Shape[] =>
  shape?.properties
    ? [shape, ...Object.values(shape.properties).flatMap((part) => objectsIn(part.items ?? part))]
    : shape?.items
      ? objectsIn(shape.items)
      : [];
/** What a native client cannot look up by its id: nobody serves it, or the specification gives it to sessions alone. */
const lookedUp = { people: /(^|_)actor_ids?$/, state: /^state_id$/, stage: /^stage_id$/ } as const;

/** Those that need bring nothing along, and why. */
const themselves: Record<string, string> = {
  getTargetLabels: "the labels of one thing are those of the lists of labels, which bring along who made them",
  getHomeWorkBaseline: "has people in its catalogs",
  getOwnHomeWorkBaseline: "is about the caller alone",
};
test("a native client can read what it lists: what it cannot look up by its id, the list can bring along", () => {
  const missing = all
    .filter(({ id, method, auth }) => method === "GET" && auth.includes("M") && !(id in themselves))
    .flatMap((operation) =>
      objectsIn((operation.rows ?? operation.schemas.result) as Shape).flatMap(({ properties = {} }) =>
        Object.entries(lookedUp).flatMap(([name, field]) => {
          const named = Object.keys(properties).filter((key) => field.test(key));
          // A row that is the person, or that tells the name, brings it along itself.
          const tells = "display_name" in properties || (name === "stage" && "definition_id" in properties);
          const brings = (operation.include as string[] | undefined)?.includes(name) ?? false;
          return named.length === 0 || tells || brings ? [] : [`${operation.id}: ${named.join(", ")}`];
        }),
      ),
    );
  expect(missing).toEqual([]);
});
