// One name for one idea. What was published under another name keeps it, with the one name beside it; nothing new takes
// the old one.
import { expect, test } from "vitest";
import { operations } from "./operations.ts";

/**
 * The older name, the one name, and the operations that published the older one, with those that show the same items,
 * or that the specification gives it to.
 */
const older: Record<string, { name: string; published: RegExp }> = {
  type: {
    name: "kind",
    published:
      /^(?:search|\w+TaskRelations?|list(?:Task|Workspace|Person|Project)Activity|listActivityGroup\w*|getProjectOverview|listDiscussRunEvents)$/,
  },
  event: { name: "action", published: /^(?:listInbox|updateInboxItem)$/ },
  resource_type: {
    name: "kind",
    published:
      /^(?:searchCli|getOperationReceipt|undoOperation|undoCommand|redoCommand|listDiscussMessages|searchDiscussMessages|getDiscussMessage|cancelDiscussMessage|postDiscussMessage|createDiscussTurn|decideDiscussInteraction)$/,
  },
  actor_name: {
    name: "display_name",
    published: /^(?:list(?:Task|Workspace|Person|Project)Activity|listActivityGroup\w*|getProjectOverview)$/,
  },
};
/** In a receipt the domain event was called type. */
const EFFECTS = /^(?:getOperationReceipt|undoOperation|undoCommand|redoCommand)$/;
/** Never published, and never to be: the name on the right is the one. */
const never: Record<string, string> = {
  event_type: "action",
  event_name: "action",
  resource_kind: "kind",
  user_name: "username",
  full_name: "display_name",
  avatar_url: "picture_url",
  image_url: "picture_url",
  created_by: "created_by_actor_id",
  creator_id: "created_by_actor_id",
  created_on: "created_at",
  modified_at: "updated_at",
  changed_at: "updated_at",
  is_archived: "archived_at",
  version_number: "revision",
  etag: "revision",
};

interface Shape {
  type?: unknown;
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
}
const objectsIn = (shape: Shape | undefined, at: string): { at: string; fields: string[] }[] => {
  if (!shape) return [];
  const here = shape.properties ? [{ at, fields: Object.keys(shape.properties) }] : [];
  return [
    ...here,
    ...Object.entries(shape.properties ?? {}).flatMap(([name, part]) => objectsIn(part, `${at}.${name}`)),
    ...objectsIn(shape.items, at),
    ...(shape.anyOf ?? []).flatMap((part) => objectsIn(part, at)),
  ];
};
/** The words of OAuth and WebAuthn are theirs. */
const isForeign = (id: string) => /Passkey|ReauthenticationOptions|McpClient|Token$/.test(id);
const answers = [...operations.values()]
  .filter(({ id }) => !isForeign(id))
  .flatMap(({ id, schemas, rows }) =>
    objectsIn((rows ?? schemas.result) as Shape, id).map((found) => ({ id, ...found })),
  );

test("an older name stands only where it was published, and the one name stands beside it", () => {
  const wrong = answers.flatMap(({ id, at, fields }) =>
    fields.flatMap((field) => {
      const rule = older[field];
      if (!rule) return [];
      const isEffect = field === "type" && EFFECTS.test(id);
      const name = isEffect ? "action" : rule.name;
      return (isEffect || rule.published.test(id)) && fields.includes(name) ? [] : [`${at}.${field}: call it ${name}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test("no answer has a name that means what another name says already", () => {
  const wrong = answers.flatMap(({ at, fields }) =>
    fields.flatMap((field) => (field in never ? [`${at}.${field}: call it ${never[field]}`] : [])),
  );
  expect(wrong).toEqual([]);
});

test("what ends in _at is a moment, in _date a day, in _id an identifier, and has_ a yes or no", () => {
  const kinds: [RegExp, RegExp][] = [
    [/_at$/, /date-time/],
    [/_date$/, /"date"/],
    [/^has_/, /boolean/],
  ];
  const wrong: string[] = [];
  const look = (shape: Shape | undefined, at: string): void => {
    for (const [name, part] of Object.entries(shape?.properties ?? {})) {
      for (const [ending, wanted] of kinds)
        if (ending.test(name) && !wanted.test(JSON.stringify(part))) wrong.push(`${at}.${name}`);
      look(part.items ?? part, `${at}.${name}`);
    }
  };
  for (const { id, schemas, rows } of operations.values())
    if (!isForeign(id)) look((rows ?? schemas.result) as Shape, id);
  expect(wrong).toEqual([]);
});
