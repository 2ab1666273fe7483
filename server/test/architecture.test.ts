// The sources keep their shape: the rules of architecture.ts over every file, and those of the schema over the real
// tables. Each is shown something planted that breaks it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOfExpression, rules } from "./architecture.ts";
import { collectedExpressions, sources } from "./collected-expressions.ts";
import { testDatabase } from "./database.ts";
import { type File, importsOf } from "./source-files.ts";

const root = join(import.meta.dirname, "../..");
const files: File[] = ["cli", "client", "contract", "document", "server", "web", "bench", "scripts"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.m?tsx?$|\.mjs$/.test(name) && !/node_modules|^dist/.test(name))
    .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(join(root, folder, name), "utf8") })),
);

test("there are files, and their imports are found", () => {
  expect(files.length).toBeGreaterThan(80);
  const pipeline = files.find(({ path }) => path === "server/src/platform/kernel/pipeline.ts") as File;
  expect(importsOf(pipeline).map(({ to }) => to)).toEqual(
    expect.arrayContaining([
      "contract/src/kit.ts",
      "server/src/platform/kernel/steps.ts",
      "server/src/platform/kernel/authentication.ts",
      "server/src/platform/wire/problem.ts",
    ]),
  );
});

for (const [name, rule] of Object.entries(rules)) test(name, () => expect(rule(files)).toEqual([]));

const faultsOfCollected = (from?: Record<string, unknown>) =>
  collectedExpressions(from).flatMap(({ expression, path }) => faultsOfExpression(expression, path));
test("expressions that are put together at run time, and patterns of schemas, take linear time", () => {
  const counts = Object.keys(sources).map((path) => collectedExpressions().filter((each) => each.path === path).length);
  expect(Math.min(...counts)).toBeGreaterThan(1);
  expect(faultsOfCollected()).toEqual([]);
});
test.each<[string, unknown]>([
  ["server/src/assistant/discuss/language/intents.ts", { planted: [/\s+planted$/] }],
  ["server/src/assistant/discuss/language/reminder-words.ts", [/\s+planted$/]],
  ["contract/src", [{ body: { properties: { name: { pattern: "\\s+planted$" } } } }]],
  ["server/src/assistant/tools", [{ input: { patternProperties: { "\\s+planted$": {} } } }]],
])("one of %s that has no verdict is found", (path, planted) => {
  expect(faultsOfCollected({ [path]: planted })).toHaveLength(1);
});

describe("the rules notice", () => {
  const from = (path: string, ...imports: string[]): File => ({
    path,
    text: `// Planted.\n${imports.map((name) => `import { x } from "${name}";\n`).join("")}`,
  });
  const planted: Record<keyof typeof rules, File[][]> = {
    layers: [
      [from("contract/src/x.ts", "node:fs")],
      [from("contract/src/planning/tasks/x.ts", "@svc/server/platform/kernel/ids.ts")],
      [from("document/src/x.ts", "node:fs")],
      [from("client/src/x.ts", "typebox")],
      [from("client/src/x.ts", "@svc/contract/kit.ts")],
      [from("cli/src/x.ts", "@svc/contract/kit.ts")],
      [from("cli/src/x.ts", "typebox")],
      [from("cli/src/x.ts", "../../server/src/platform/wire/ids.ts")],
      [from("document/src/x.ts", "@svc/contract/errors.ts")],
      [from("document/src/x.ts", "../../server/src/platform/wire/ids.ts")],
      [from("server/src/platform/kernel/x.ts", "../../planning/tasks/store.ts")],
      [from("server/src/platform/kernel/x.ts", "@svc/contract/planning/tasks/tasks.ts")],
      [from("server/src/platform/kernel/x.ts", "../../server.ts")],
      [from("server/src/planning/tasks/x.ts", "../../../test/world.ts")],
      [from("web/src/x.tsx", "../../server/src/platform/wire/ids.ts")],
      [from("server/src/surfaces/pages/x.ts", "../../../../web/src/paths.ts")],
    ],
    groups: [
      [from("server/src/planning/projects/x.ts", "../tasks/store.ts")],
      [from("server/src/planning/tasks/x.ts", "../../knowledge/documents/store.ts")],
      [from("server/src/connect/webhooks/x.ts", "../../surfaces/realtime/store.ts")],
      [from("server/src/surfaces/home/x.ts", "../realtime/store.ts")],
      [from("server/src/platform/outside/x.ts", "../kernel/pipeline.ts")],
      [from("server/src/platform/wire/x.ts", "../settings/config.ts")],
      [from("server/src/planning/tasks/x.ts", "../projects/projects.ts")],
      [from("server/src/planning/tasks/x.ts", "../projects/events.ts")],
    ],
    groupsOfContract: [[from("contract/src/planning/tasks/x.ts", "../../history/activity/activity.ts")]],
    knownFolders: [
      [from("server/src/gadgets/x.ts")],
      [from("server/src/planning/x.ts")],
      [from("server/src/planning/gadgets/x.ts")],
      [from("contract/src/planning/gadgets/x.ts")],
    ],
    noCircles: [
      [from("server/src/platform/kernel/x.ts", "./y.ts"), from("server/src/platform/kernel/y.ts", "./x.ts")],
      [
        from("server/src/platform/wire/x.ts", "./y.ts"),
        from("server/src/platform/wire/y.ts", "./z.ts"),
        from("server/src/platform/wire/z.ts", "./x.ts"),
      ],
      [
        { path: "server/src/platform/kernel/x.ts", text: 'import type { X } from "./y.ts";' },
        from("server/src/platform/kernel/y.ts", "./x.ts"),
      ],
      [from("web/src/tasks/x.tsx", "../ui/y.ts"), from("web/src/ui/y.ts", "../tasks/x.tsx")],
      [from("cli/src/x.ts", "./rows/y.ts"), { path: "cli/src/rows/y.ts", text: 'await import("../x.ts")' }],
      [from("server/test/x.ts", "./y.ts"), from("server/test/y.ts", "./x.ts")],
      [from("bench/x.ts", "../scripts/y.ts"), from("scripts/y.ts", "../bench/x.ts")],
    ],
    kernelSize: [
      Array.from({ length: 6 }, (_, at) => ({ path: `server/src/platform/kernel/x${at}.ts`, text: "\n".repeat(350) })),
    ],
    linearExpressions: [
      [
        {
          path: "server/src/planning/tasks/x.ts",
          text: "export const x = (text: string) => text.replace(/\\s+planted$/, '');",
        },
      ],
      [{ path: "web/src/x.tsx", text: "const SPACE = '\\\\s+planted$'; new RegExp(SPACE, 'u');" }],
    ],
    noWayOut: [
      [from("server/src/planning/tasks/x.ts", "node:http")],
      [from("server/src/planning/tasks/x.ts", "pg")],
      [{ path: "server/src/planning/tasks/x.ts", text: "await fetch(url)" }],
      [{ path: "server/src/planning/tasks/x.ts", text: 'await import("node:net")' }],
    ],
    readApart: [[{ path: "server/src/surfaces/pages/x.ts", text: "drawn(fromMarkdown(text))" }]],
    pureRules: [
      [from("server/src/planning/tasks/rules.ts", "node:fs")],
      [
        from("server/src/planning/tasks/rules.ts", "../../platform/database/db.ts"),
        from("server/src/platform/database/db.ts", "pg"),
      ],
    ],
    sizes: [[{ path: "server/src/x.ts", text: "\n".repeat(401) }], [{ path: "scripts/x.ts", text: "\n".repeat(101) }]],
    folderSizes: ["server/src/planning/tasks", "cli/src/commands"].map((folder) =>
      Array.from({ length: 21 }, (_, at) => from(`${folder}/x${at}.ts`)),
    ),
    typeNames: [
      [
        { path: "web/src/x.ts", text: "export type Line = string;" },
        { path: "web/src/y/z.tsx", text: "export interface Line {}" },
      ],
    ],
    names: [
      [from("server/src/planning/tasks/taskStore.ts")],
      [from("server/src/planning/tasks/helpers.ts")],
      [from("server/src/platform/kernel/mail-service.ts")],
    ],
    fileNames: [
      [from("server/src/planning/tasks/reaching.ts")],
      [from("server/src/planning/tasks/examined.test.ts")],
      [from("web/src/tasks/beside.tsx")],
      [from("contract/src/planning/tasks/shown.ts")],
      [from("cli/src/connect.ts")],
      [from("document/src/written.slow.test.ts")],
      [from("client/src/later.ts")],
    ],
    openings: [[{ path: "server/src/x.ts", text: "export const x = 1;" }]],
    mirrored: [
      [{ path: "contract/src/planning/tasks/x.ts", text: 'export const startTask = op("POST /x", "x", {})' }],
      [
        { path: "contract/src/planning/tasks/x.ts", text: 'export const startTask = op("POST /x", "x", {})' },
        { path: "server/src/planning/tasks/x.ts", text: "export const startTask = implement()" },
      ],
    ],
    registered: [
      [{ path: "contract/src/planning/tasks/x.ts", text: 'export const startTask = op("POST /x", "x", {})' }],
      files.filter(({ path }) => path !== "contract/src/planning/labels/definitions.ts"),
    ],
    statusWriters: [
      [{ path: "server/src/planning/tasks/x.ts", text: "`update tasks t set title = $2, status_id = $3`" }],
      [{ path: "server/src/planning/tasks/x.ts", text: "`insert into tasks (workspace_id, id) values ($1, $2)`" }],
      [{ path: "server/src/planning/comments/x.ts", text: `\`update tasks set \${assignments} where id = $1\`` }],
      [{ path: "server/src/planning/lifecycle/x.ts", text: `\`update \${table} t set \${column} = $2\`` }],
      [{ path: "server/src/surfaces/cli/x.ts", text: "defer(store.updateTask(tx, workspaceId, target, body))" }],
      [{ path: "server/src/history/undo/x.ts", text: "defer(returnTask(tx, workspaceId, after))" }],
    ],
    nothingLeft: [
      [{ path: "web/src/x.test.ts", text: 'vi.stubGlobal("fetch", answer)' }],
      [{ path: "server/src/x.test.ts", text: "vi.useFakeTimers()" }],
    ],
    explainedWaits: [
      [{ path: "server/src/x.test.ts", text: "  await sleep(100);" }],
      [{ path: "web/test/x.slow.browser.test.ts", text: "// Until it is there.\nawait page.waitForTimeout(500);" }],
      [{ path: "cli/src/x.test.ts", text: "// Wait: why.\n\nawait new Promise((done) => setTimeout(done, 20));" }],
      [{ path: "bench/x.test.ts", text: 'await client.query("select pg_sleep(1)"); // Wait:' }],
    ],
    weakByRequest: [[{ path: "server/src/x.ts", text: "new WeakMap<IncomingMessage, string>()" }]],
    usedCodes: [[{ path: "contract/src/errors.ts", text: '  never_thrown: entry(400, "x", "y"),' }]],
  };
  for (const [name, cases] of Object.entries(planted))
    test(`what breaks ${name}`, () => {
      for (const planting of cases) expect(rules[name]?.(planting), JSON.stringify(planting)).not.toEqual([]);
    });
});

describe("the schema", () => {
  let client: pg.Client;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await testDatabase();
    drop = database.drop;
    client = new pg.Client(database.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await drop();
  });

  // They decide the tenant, so it cannot stand in front of them; the list of migrations, the seals of the audit and the
  // outbox belong to nobody.
  const DECIDING = [
    "users",
    "workspaces",
    "memberships",
    "credentials",
    "migrations",
    "audit_seals",
    "mail_outbox",
    "secret_keys",
    "event_readers",
    "search_sweep",
    "journal",
    "journal_marks",
    "processes",
    // What a plan gives is the same for all, and what a provider tells leads through a checkout.
    ...["billing_plans", "billing_deliveries"],
  ];
  // A token or a public name leads to the Workspace, which is not known before; whether AI clients are let in is asked
  // before they are.
  const LEADING = ["invitations", "publications", "ai_access_policies"];
  // They belong to an account and are read before anybody is known.
  const OF_ACCOUNTS = [
    ...["email_links", "second_factors", "recovery_codes", "sign_in_challenges", "passkeys", "passkey_ceremonies"],
    ...[
      "identities",
      "integration_identities",
      "provider_requests",
      "oauth_clients",
      "oauth_grants",
      "oauth_codes",
      "oauth_refresh_tokens",
    ],
    "push_endpoints",
    "attempt_limits",
    "free_claims",
    // A new Workspace does not exist before it is paid for.
    "billing_checkouts",
  ];
  const WITHOUT_TENANT = [...DECIDING, ...LEADING, ...OF_ACCOUNTS];
  // A person's memberships are looked for across Workspaces; expired keys are swept and audit rows are sealed across
  // them.
  const ACROSS_TENANTS = [
    "memberships_of_user",
    "idempotency_keys_created",
    "audit_log_occurred",
    "domain_events_occurred",
    "search_entries_words",
    "search_entries_words_of_documents",
    "told_events_occurred",
    "private_changes_occurred",
    // A delivery names an installation before any Workspace is known; what came in and went out is pruned across them.
    "integration_installations_account",
    "integration_installations_id",
    "integration_installations_signs_as",
    "integration_deliveries_received",
    "integration_actions_ended",
    // Told when they are due, in whichever Workspace.
    "discuss_reminders_due",
    // For sweeps.
    "discuss_reminders_closed",
    ...["evidence_collections_expired", "task_result_sets_expired", "task_selections_expired"],
    ...["discuss_steps_created", "agent_steps_created", "agent_actions_waiting", "knowledge_credit_entries_open"],
    // Taken in whichever Workspace they are.
    "agent_runs_open",
    ...["webhook_endpoints_due", "webhook_endpoints_deleted", "webhook_deliveries_created"],
    ...["change_set_versions_expired", "change_set_applications_created", "document_patch_versions_created"],
  ];
  const FAULTS = `
    with t as (
      select c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity, c.relowner from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not c.relname = any($1)
    ), led as (
      select c.conrelid as oid, c.conname as name, c.contype as kind, a.attname as first,
        c.confrelid = 'users'::regclass as of_person
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype in ('p', 'f')
    )
    select relname || ' has no row-level security' as fault from t where not relrowsecurity
    union all select relname || ' does not force row-level security on its owner' from t where not relforcerowsecurity
    union all select relname || ' has no policy that lets its owner pass where it says so' from t where not exists (
      select from pg_policy p where p.polrelid = t.oid and p.polroles = array[t.relowner]
        and pg_get_expr(p.polqual, p.polrelid) = 'acts_as_owner()')
    union all select relname || ' has no policy for svc_app' from t where not exists (
      select from pg_policy p where p.polrelid = t.oid and p.polroles = array['svc_app'::regrole::oid]
        and p.polcmd = '*'
        and pg_get_expr(p.polqual, p.polrelid) like '%workspace_id = %current_workspace()%')
    union all select relname || ' has a primary key that does not start with workspace_id' from t
      where not exists (select from led l where l.oid = t.oid and l.kind = 'p' and l.first = 'workspace_id')
    union all select relname || ' has the foreign key ' || l.name || ' without the tenant' from t join led l using (oid)
      where l.kind = 'f' and l.first <> 'workspace_id' and not l.of_person
    union all select relname || ' has the index ' || i.indexrelid::regclass || ' that does not start with workspace_id'
    from t
      join pg_index i on i.indrelid = t.oid join pg_attribute a on a.attrelid = i.indexrelid and a.attnum = 1
      where a.attname <> 'workspace_id' and not i.indexrelid::regclass::text = any($2)
    union all select 'svc_app owns ' || pg_describe_object(classid, objid, objsubid) from pg_shdepend
      where refobjid = 'svc_app'::regrole and deptype = 'o'
        and dbid = (select oid from pg_database where datname = current_database())
    union all select 'svc_app may go past row-level security' from pg_roles
    where rolname = 'svc_app' and (rolbypassrls or rolsuper)`;
  const faults = async () =>
    (await client.query<{ fault: string }>(FAULTS, [WITHOUT_TENANT, ACROSS_TENANTS])).rows
      .map(({ fault }) => fault)
      .sort();

  test("has the tenant first in every key and index of a Workspace's tables, behind row-level security", async () => {
    expect(await faults()).toEqual([]);
  });

  test("is seen where a table breaks all of it", async () => {
    await client.query("begin");
    await client.query(
      `create table gadgets (id uuid primary key, workspace_id uuid, name text, user_id uuid references users,
        other uuid references workspaces)`,
    );
    await client.query("create index gadgets_by_name on gadgets (name)");
    await client.query(
      "create function gadget() returns int language sql return 1; alter function gadget owner to svc_app",
    );
    expect(await faults()).toEqual([
      "gadgets does not force row-level security on its owner",
      "gadgets has a primary key that does not start with workspace_id",
      "gadgets has no policy for svc_app",
      "gadgets has no policy that lets its owner pass where it says so",
      "gadgets has no row-level security",
      "gadgets has the foreign key gadgets_other_fkey without the tenant",
      "gadgets has the index gadgets_by_name that does not start with workspace_id",
      "gadgets has the index gadgets_pkey that does not start with workspace_id",
      "svc_app owns function gadget()",
    ]);
    await client.query("rollback");
  });
});
