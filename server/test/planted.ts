// Broken on purpose: for every rule of checks/ at least one service that breaks it, so that the suite is seen to
// notice. An operation is planted with a faulty implementation, or served with weaker flags than it declares; where the
// fault would be the kernel's, the stage is sabotaged: the call is mended on its way, as if the service had let it
// pass.
import { type AnyOperation, collect, op, S } from "@svc/contract/kit.ts";
import { Id, object } from "@svc/contract/types.ts";
import { type ProjectTarget, project } from "../src/planning/projects/access.ts";
import { projectUpdated } from "../src/planning/projects/events.ts";
import {
  type Access,
  account,
  type Implementation,
  implement,
  implementWithEffects,
} from "../src/platform/kernel/implement-operation.ts";
import { refuse } from "../src/platform/wire/problem.ts";
import type { Change, Stage } from "./stage.ts";
import { newKey, sessionHeaders } from "./world.ts";

const auth = [S] as const;
const One = object({ id: Id });
const one = { auth, returns: One };
const declared = {
  letsEverybodyIn: op("GET /planted/open/{project_id}", "Lets everybody in", one),
  leaksForeignRow: op("POST /planted/leak/{workspace_id}", "Answers with a row of another tenant", one),
  tellsThatItExists: op("GET /planted/tells/{workspace_id}", "Answers 403 where it should be 404", one),
  letsViewerWrite: op("POST /planted/viewer/{project_id}", "Asks for too little", one),
  recordsNothing: op("POST /planted/silent/{project_id}", "Records no event", one),
  answersOtherwise: op("GET /planted/shape/{project_id}", "Answers a shape that it did not declare", one),
  ignoresIfMatch: op("PATCH /planted/unguarded/{project_id}", "Loads no revision", { ...one, ifMatch: "required" }),
  needsNoKey: op("POST /planted/keyless/{project_id}", "Is served without", { ...one, idempotencyKey: "required" }),
  needsNoIfMatch: op("PATCH /planted/matchless/{project_id}", "Is served without", { ...one, ifMatch: "required" }),
  asksTooOften: op("GET /planted/chatty/{project_id}", "Takes three round-trips", one),
  forgetsTenant: op("GET /planted/forgets/{project_id}", "Leans on row-level security alone", one),
  writesInRead: op("GET /planted/writes/{project_id}", "Writes an audit row", one),
};
export const plantedOperations = [...collect(declared).values()];

/** As served: with weaker flags than declared. */
const weakened = (operation: AnyOperation, flags: Partial<AnyOperation>) =>
  ({ ...operation, ...flags }) as typeof declared.needsNoKey;
const anybody = (load: Access<{ id: string }>["load"]): Access<{ id: string }> => ({
  reach: "account",
  load,
  permits: () => true,
});
const target = project("work:write");
const touched = ({ record }: Parameters<Parameters<typeof implement>[2]>[0], id: string) => {
  record(projectUpdated({ kind: "project", id, projectId: id }));
  return { id };
};

export const plantedImplementations: Implementation[] = [
  implement(
    declared.letsEverybodyIn,
    anybody(async (_context, params) => ({ id: params.project_id as string })),
    async (_context, { target: { id } }) => ({ id }),
  ),
  implement(
    declared.leaksForeignRow,
    anybody(async (tx, { workspace_id }) => {
      const { own } = await tx.one<{ own: string }>("select current_setting('svc.workspace') as own");
      const enter = (id: string | undefined) => tx.rows("select set_config('svc.workspace', $1, true)", [id]);
      await enter(workspace_id);
      const row = await tx.maybe<{ id: string }>("select id from projects limit 1");
      await enter(own);
      return row;
    }),
    async (context, { target: { id } }) => touched(context, id),
  ),
  implement(
    declared.tellsThatItExists,
    anybody(async (tx, { workspace_id }) => {
      const row = await tx.maybe<{ id: string; own: boolean }>(
        `select id, exists (select from memberships m
          where m.workspace_id = w.id and m.user_id = current_account()) as own from workspaces w where id = $1`,
        [workspace_id],
      );
      return row && !row.own ? refuse("forbidden") : row;
    }),
    async (_context, { target: { id } }) => ({ id }),
  ),
  implement(declared.letsViewerWrite, project("work:read"), async (context, { target: { id } }) =>
    touched(context, id),
  ),
  implement(declared.recordsNothing, target, async (_context, { target: { id } }) => ({ id })),
  implement(declared.answersOtherwise, target, async () => ({ id: 5, more: true }) as never),
  implement(
    declared.ignoresIfMatch,
    { ...target, load: async (...args) => ({ ...(await target.load(...args)), revision: undefined }) as never },
    async (context, { target: { id } }) => touched(context, id),
  ),
  implement(weakened(declared.needsNoKey, { idempotencyKey: undefined }), target, async (context, { target: { id } }) =>
    touched(context, id),
  ),
  implement(weakened(declared.needsNoIfMatch, { ifMatch: undefined }), target, async (context, { target: { id } }) =>
    touched(context, id),
  ),
  implement(declared.asksTooOften, target, async ({ tx }, { target: { id } }) => {
    for (let asked = 0; asked < 2; asked++) await tx.rows("select 1");
    return { id };
  }),
  implement(
    declared.forgetsTenant,
    {
      ...target,
      load: (tx, { project_id }) => tx.maybe<ProjectTarget>("select id from projects where id = $1", [project_id]),
      permits: () => true,
    },
    async (_context, { target: { id } }) => ({ id }),
  ),
  implementWithEffects(declared.writesInRead, account(), async (context, input) =>
    context.transaction(async () => ({ id: (input as { params: { project_id: string } }).params.project_id })),
  ),
];

type Sent = { method: string; path: string; options: Change };
/** Mends each call before it is sent. */
const mending = (mend: (sent: Sent, stage: Stage) => Partial<Sent>) => (stage: Stage) => ({
  ...stage,
  send: (method: string, path: string, options: Change = {}) => {
    const sent = { method, path, options, ...mend({ method, path, options }, stage) };
    return stage.send(sent.method, sent.path, sent.options);
  },
});
const withHeaders = (change: (headers: Record<string, string>, stage: Stage) => Record<string, string>) =>
  mending(({ options }, stage) => ({ options: { ...options, headers: change({ ...options.headers }, stage) } }));
const asOwner = withHeaders(({ authorization: _, ...headers }, { home }) => ({
  ...headers,
  ...sessionHeaders(home.owner.session),
}));
const withoutHeader = (name: string) => withHeaders(({ [name]: _, ...headers }) => headers);
const withoutQuery = mending(({ path }) => ({ path: path.replace(/\?.*/, "") }));
const everNewKey = mending(({ options }) => ({ options: { ...options, key: newKey() } }));

/** Takes a header from every answer. */
const answeringWithout = (name: string) => (stage: Stage) => ({
  ...stage,
  send: async (...call: Parameters<Stage["send"]>) => {
    const answer = await stage.send(...call);
    const headers = new Headers(answer.headers);
    headers.delete(name);
    return { ...answer, headers };
  },
});
const ALWAYS = ["Cache-Control", "X-Content-Type-Options", "X-Svc-API-Version", "X-Correlation-ID"];

export interface PlantedFault {
  /** What the rule's name starts with. */
  breaks: string;
  operation: string;
  sabotage?: (stage: Stage) => Stage;
  /** What the rule then says; without it, that the call was answered 200 or 201. */
  shows?: RegExp;
}
export const planted: PlantedFault[] = [
  { breaks: "without a credential", operation: "getTask", sabotage: asOwner },
  { breaks: "an undeclared kind", operation: "updateProject", sabotage: asOwner },
  { breaks: "a live secret", operation: "getTask", sabotage: asOwner },
  {
    breaks: "every declared kind",
    operation: "getTask",
    shows: /answered 401/,
    sabotage: withoutHeader("authorization"),
  },
  { breaks: "an expired", operation: "getTask", sabotage: asOwner },
  { breaks: "a bad bearer", operation: "getTask", sabotage: withoutHeader("authorization") },
  {
    breaks: "an Authorization header sent twice",
    operation: "getTask",
    shows: /status/,
    sabotage: (stage) => ({ ...stage, sendTwice: async () => 200 }),
  },
  { breaks: "without the CSRF token", operation: "updateTask", sabotage: asOwner },
  { breaks: "a token without the scope", operation: "updateTask", sabotage: asOwner },
  { breaks: "another tenant's id", operation: "letsEverybodyIn" },
  { breaks: "another tenant's id", operation: "leaksForeignRow" },
  { breaks: "another tenant's id", operation: "tellsThatItExists", shows: /answered 403/ },
  { breaks: "a suspended and a removed member", operation: "letsEverybodyIn" },
  { breaks: "a viewer writes nothing", operation: "letsViewerWrite" },
  { breaks: "an Idempotency-Key of 15", operation: "createTask", sabotage: everNewKey },
  { breaks: "a required Idempotency-Key", operation: "needsNoKey" },
  { breaks: "a repeated call", operation: "updateTask", shows: /status and body/, sabotage: everNewKey },
  { breaks: "the same key", operation: "createTask", sabotage: everNewKey },
  {
    breaks: "Prefer: return=minimal",
    operation: "updateTask",
    shows: /Preference-Applied/,
    sabotage: withoutHeader("prefer"),
  },
  { breaks: "a required If-Match", operation: "needsNoIfMatch" },
  {
    breaks: "a malformed If-Match",
    operation: "updateTask",
    sabotage: withHeaders((headers) => ({ ...headers, "if-match": "*" })),
  },
  { breaks: "a stale If-Match", operation: "ignoresIfMatch", shows: /answered 500/ },
  {
    breaks: "of several at once",
    operation: "updateTask",
    sabotage: withHeaders((headers) => ({ ...headers, "if-match": "*" })),
  },
  { breaks: "an unknown query parameter", operation: "getTask", sabotage: withoutQuery },
  { breaks: "a query parameter given twice", operation: "listProjectTasks", sabotage: withoutQuery },
  {
    breaks: "an unknown field",
    operation: "createProject",
    sabotage: mending(({ options }) => ({ options: { ...options, body: { key: "PLANTED", name: "x" } } })),
  },
  {
    breaks: "a body that is missing",
    operation: "updateTask",
    sabotage: mending(({ options }) => ({ options: { ...options, raw: '{"title":"x"}' } })),
  },
  {
    breaks: "a body with members",
    operation: "trashTask",
    sabotage: mending(({ options }) => ({ options: { ...options, raw: "{}" } })),
  },
  {
    breaks: "HEAD answers",
    operation: "getTask",
    shows: /answered 405/,
    sabotage: mending(({ method }) => (method === "HEAD" ? { method: "OPTIONS" } : {})),
  },
  {
    breaks: "a body of another content type",
    operation: "updateTask",
    sabotage: withHeaders((headers) => ({ ...headers, "content-type": "application/json" })),
  },
  {
    breaks: "a malformed id",
    operation: "listProjects",
    sabotage: mending(({ path }, { home }) => ({ path: `/workspaces/${home.workspaceId}/${path.split("/").at(-1)}` })),
  },
  { breaks: "a limit other than", operation: "listProjects", sabotage: withoutQuery },
  {
    breaks: "a cursor leads on",
    operation: "listProjects",
    shows: /second page/,
    sabotage: mending(({ path }) => ({ path: path.replace(/&cursor=.*/, "") })),
  },
  { breaks: "a cursor leads on", operation: "listProjects", sabotage: asOwner },
  { breaks: "a success has", operation: "answersOtherwise", shows: /answered 200 .* to deeply equal/ },
  {
    breaks: "what a 201 created",
    operation: "createTask",
    shows: /answered 404/,
    sabotage: answeringWithout("location"),
  },
  {
    breaks: "a correlation id",
    operation: "getTask",
    shows: /correlation id/,
    sabotage: withHeaders((headers) => ({ ...headers, "x-correlation-id": "other" })),
  },
  {
    breaks: "a method that",
    operation: "getTask",
    shows: /answered 401/,
    sabotage: mending(() => ({ method: "GET" })),
  },
  { breaks: "a read takes", operation: "asksTooOften", shows: /3 round-trips/ },
  { breaks: "a write leaves", operation: "recordsNothing", shows: /no domain event/ },
  ...ALWAYS.flatMap((name) => {
    const missing = { operation: "getTask", shows: new RegExp(name), sabotage: answeringWithout(name) };
    return ["a success has", "without a credential"].map((breaks) => ({ breaks, ...missing }));
  }),
];
