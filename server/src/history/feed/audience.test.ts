// The table of what is heard has every type of event that the code can record, and no other.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hearing } from "./audience.ts";

const source = join(import.meta.dirname, "../..");
const TYPE = /["'`]((?:[a-z_]+|\$\{noun\})(?:\.[a-z_]+)+)["'`]/g;
/** Where facts are made: the names in files that call event() or pass its types on. */
function recorded(text: string): string[] {
  const nouns = /noun: ((?:"\w+"(?: \| )?)+)/.exec(text)?.[1]?.match(/\w+/g) ?? [];
  return [...text.matchAll(TYPE)]
    .map(([, type]) => type as string)
    .flatMap((type) => (type.includes("$") ? nouns.map((noun) => type.replace(/\$\{noun\}/, noun)) : [type]));
}
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("platform/kernel/"))
  .map((name) => readFileSync(join(source, name), "utf8"));
const declaring = files.filter((text) =>
  /import \{[^}]*\bevent\b[^}]*\} from "[./]+platform\/kernel\/events\.ts"/.test(text),
);
const types = new Set(declaring.flatMap(recorded));
/** By triggers, whoever changes the row. */
const migrations = join(source, "../migrations");
const triggered = readdirSync(migrations)
  .filter((name) => name.endsWith(".sql"))
  .flatMap((name) => readFileSync(join(migrations, name), "utf8").match(/insert into domain_events[^;]*;/g) ?? [])
  .flatMap((sql) => [...sql.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, type]) => type as string));
const inserted = files
  .flatMap((text) => text.match(/insert into domain_events[\s\S]*?`/g) ?? [])
  .flatMap((sql) => [...sql.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, type]) => type as string));

test("types are found, those of templates and of statements too", () => {
  expect(types.size).toBeGreaterThan(120);
  expect([...types]).toEqual(
    expect.arrayContaining(["project_state.archived", "task.relation_added", "task.comment.created"]),
  );
  expect(inserted).toContain("task.milestone_changed");
  expect(triggered).toEqual(["agent_run.created", "agent_run.changed"]);
  expect(recorded('event("gadget.made")')).toEqual(["gadget.made"]);
});

test("every type of event stands in the table, and every line of it is a type of event", () => {
  expect([...hearing.keys()].sort()).toEqual([...types, ...triggered].sort());
  for (const type of inserted) expect(hearing.has(type), type).toBe(true);
});

test("what is private to somebody is in no ordinary subscription", () => {
  for (const [type, heard] of hearing)
    if (
      /^(?:account|inbox|inbox_item|notification_preference|current_work|oauth_|passkey|identity|api_token)/.test(type)
    )
      expect(heard, type).toBeNull();
});
