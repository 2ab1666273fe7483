// Tools that read. Each calls one operation or a few, and resolves names first.
import Type from "typebox";
import { Code, Cursor, closed, GO_ON, Key, Limit, Page, reads, tasksRead, text } from "./arguments.ts";
import type { OperationCaller } from "./operation-calls.ts";
import { referencesIn, resolvesReferences } from "./references.ts";
import { listingTools } from "./task-list-tool.ts";
import { type Tool, tool } from "./tool.ts";
import {
  cliTask,
  compact,
  documentLinks,
  More,
  moreOf,
  projectLinks,
  TaskShown,
  taskLinks,
  UNTRUSTED,
  Untrusted,
} from "./tool-output.ts";

const find = tool({
  name: "find",
  description: "Search Tasks, comments and Documents by words, a Task by its code, or people by name.",
  operations: ["search", "resolveMembers"],
  scopes: ["svc:read", "svc:search:read", "svc:members:read"],
  scopesOf: ({ kind }) => ["svc:read", kind === "person" ? "svc:members:read" : "svc:search:read"],
  annotations: reads,
  input: Type.Object(
    {
      query: text(200),
      kind: Type.Optional(Type.Enum(["task", "comment", "document", "person"])),
      limit: Limit,
      cursor: Cursor,
    },
    closed,
  ),
  output: Type.Object({
    ...Untrusted,
    items: Type.Array(Type.Object({ kind: Type.String() })),
    ...Page,
  }),
  async run(context, { query, kind, limit = 20, cursor }) {
    const { call } = context;
    if (kind === "person") return { ...UNTRUSTED, items: await people(call, query) };
    const { body } = await call("search", {
      query: { q: query, type: kind, limit, cursor, include: "status,assignee" },
    });
    return {
      ...UNTRUSTED,
      items: body.items.map((item: Record<string, string>) =>
        compact({
          kind: item.kind,
          code: item.code,
          path: item.path,
          ...(item.path ? documentLinks(context, item) : taskLinks(context, item.code)),
          title: item.title,
          snippet: item.snippet,
          status: body.included.statuses?.[item.status_id as string]?.name,
          assignee: body.included.actors?.[item.assignee_actor_id as string]?.username,
        }),
      ),
      ...moreOf(body, GO_ON),
    };
  },
});

const people = async (call: OperationCaller, query: string) =>
  (await call("resolveMembers", { query: { q: query } })).body.items.map((item: Record<string, unknown>) => ({
    kind: "person",
    username: item.username,
    name: item.display_name,
    role: item.role,
  }));

const getTask = tool({
  name: "get_task",
  description: "Read a Task with its description, relations, linked Documents and newest comments.",
  operations: ["getCliTaskContext", resolvesReferences],
  scopes: tasksRead,
  annotations: reads,
  input: Type.Object({ code: Code, detail: Type.Optional(Type.Enum(["compact", "full"])) }, closed),
  output: Type.Object({ ...Untrusted, task: TaskShown, more: More }),
  async run(context, { code, detail }) {
    const { body } = await context.call("getCliTaskContext", {
      params: { task_code: code },
      query: { profile: detail },
    });
    const { task, project, milestone, related, documents, comments, truncated, inaccessible } = body;
    const texts = [task.description_markdown ?? "", ...comments.map(({ markdown }: { markdown: string }) => markdown)];
    return compact({
      ...UNTRUSTED,
      ...taskLinks(context, task.code),
      task: cliTask(task),
      project,
      milestone,
      related: related.map((each: Record<string, unknown>) => compact({ ...each, status: nameOf(each.status) })),
      documents,
      comments: comments.map((each: Record<string, unknown>) => compact({ ...each, author: personOf(each.author) })),
      references: await referencesIn(context, texts),
      more:
        [
          truncated.length > 0 &&
            `Cut to fit: ${truncated.join(", ")}.${detail === "full" ? "" : " Call again with detail full."}`,
          inaccessible && "Some of what it is related to you cannot read.",
        ]
          .filter(Boolean)
          .join(" ") || null,
    });
  },
});
const nameOf = (thing: unknown) => (thing as { name?: string } | null)?.name;
function personOf(person: unknown) {
  const { username, display_name } = (person ?? {}) as { username?: string; display_name?: string };
  return username ?? display_name;
}

const MOST_CHARACTERS = 20_000;
const getDocument = tool({
  name: "get_document",
  description: "Read a Document as Markdown, by its path.",
  operations: ["readDocumentByPath", resolvesReferences],
  scopes: ["svc:read", "svc:documents:read"],
  annotations: reads,
  input: Type.Object(
    {
      path: text(2000, "Such as handbook/how-we-plan"),
      offset: Type.Optional(Type.Integer({ minimum: 0, description: "Character to begin at" })),
    },
    closed,
  ),
  output: Type.Object({
    ...Untrusted,
    path: Type.String(),
    title: Type.String(),
    markdown: Type.String(),
    content_revision: Type.String(),
    more: More,
  }),
  async run(context, { path, offset = 0 }) {
    const { body } = await context.call("readDocumentByPath", { params: { document_path: path } });
    const until = offset + MOST_CHARACTERS;
    const markdown = body.markdown.slice(offset, until);
    return {
      ...UNTRUSTED,
      ...compact({
        project: body.project,
        archived_at: body.archived_at,
        trashed_at: body.trashed_at,
        references: await referencesIn(context, [markdown]),
        more:
          body.markdown.length > until
            ? `${body.markdown.length - until} characters are left: call again with offset ${until}.`
            : null,
      }),
      path: body.path,
      ...documentLinks(context, body),
      title: body.title,
      markdown,
      content_revision: body.content_revision,
    };
  },
});

const listDocuments = tool({
  name: "list_documents",
  description: "List the Documents at the top, of the Workspace or of a Project. Look for others with find.",
  operations: ["listCliDocuments"],
  scopes: ["svc:read", "svc:documents:read"],
  annotations: reads,
  input: Type.Object({ project: Type.Optional(Key("Its key")), limit: Limit, cursor: Cursor }, closed),
  output: Type.Object({
    ...Untrusted,
    items: Type.Array(Type.Object({ path: Type.String(), title: Type.String() })),
    ...Page,
  }),
  async run({ call }, { project, limit = 20, cursor }) {
    const { body } = await call("listCliDocuments", { query: { project_code: project, limit, cursor } });
    return {
      ...UNTRUSTED,
      items: body.items.map((item: Record<string, unknown>) =>
        compact({
          path: item.path,
          title: item.title,
          project: item.project_code,
          has_children: item.has_children || null,
          updated_at: item.updated_at,
        }),
      ),
      ...moreOf(body, GO_ON),
    };
  },
});

const listProjects = tool({
  name: "list_projects",
  description: "List the Projects that you can see.",
  operations: ["listCliProjects"],
  scopes: ["svc:read", "svc:projects:read"],
  annotations: reads,
  input: Type.Object({ cursor: Cursor }, closed),
  output: Type.Object({
    ...Untrusted,
    items: Type.Array(Type.Object({ key: Type.String(), name: Type.String() })),
    ...Page,
  }),
  async run({ call }, { cursor }) {
    const { body } = await call("listCliProjects", { query: { cursor } });
    return {
      ...UNTRUSTED,
      items: body.items.map((item: Record<string, unknown>) =>
        compact({ key: item.code, name: item.name, state: nameOf(item.state), target_date: item.target_date }),
      ),
      ...moreOf(body, GO_ON),
    };
  },
});

const getProject = tool({
  name: "get_project",
  description: "Read a Project, with its Statuses, labels and next Milestones.",
  operations: ["readProjectByKey"],
  scopes: ["svc:read", "svc:projects:read"],
  annotations: reads,
  input: Type.Object({ key: Key("Such as ENG") }, closed),
  output: Type.Object({
    ...Untrusted,
    key: Type.String(),
    name: Type.String(),
    statuses: Type.Array(Type.Object({ name: Type.String() })),
    more: More,
  }),
  async run(context, { key }) {
    const { body } = await context.call("readProjectByKey", { params: { project_code: key } });
    const { project, statuses, labels, milestones } = body;
    const cut = [labels.more && "labels", milestones.more && "milestones"].filter(Boolean);
    return {
      ...UNTRUSTED,
      ...compact({
        description: project.description_markdown,
        state: nameOf(project.state),
        start_date: project.start_date,
        target_date: project.target_date,
        archived_at: project.archived_at,
        labels: labels.items.map(nameOf),
        milestones: milestones.items.map((each: Record<string, unknown>) =>
          compact({ code: each.code, name: each.name, target_date: each.target_date }),
        ),
        more: cut.length > 0 ? `Only the first ${cut.join(" and ")} are here.` : null,
      }),
      key: project.code,
      ...projectLinks(context, project.code),
      name: project.name,
      statuses: statuses.items.map((each: Record<string, unknown>) => ({
        name: each.name,
        category: each.category,
      })),
    };
  },
});

/** Readable with any write scope, because a writer may ask for the result. */
const getReceipt = tool({
  name: "get_receipt",
  description: "What became of a write of yours, by its command or key. Ask before you repeat a call.",
  operations: ["getOperationReceipt"],
  scopes: ["svc:read", "svc:write", "svc:tasks:write", "svc:comments:write", "svc:time:write", "svc:documents:write"],
  annotations: reads,
  ownResult: true,
  input: Type.Object({ id: text(200, "command or key") }, closed),
  output: Type.Object({ command: Type.String(), state: Type.String(), operation: Type.String() }),
  run: async ({ call }, { id }) => receiptOf((await call("getOperationReceipt", { params: { id } })).body),
});
// biome-ignore lint/suspicious/noExplicitAny: a receipt as its operation answers it.
export const receiptOf = (receipt: any) =>
  compact({
    command: receipt.id,
    state: receipt.state,
    operation: receipt.operation,
    occurred_at: receipt.occurred_at,
    effects: receipt.effects.map((each: Record<string, unknown>) => compact({ action: each.action, code: each.code })),
    can_undo: receipt.undo.possible,
    because: receipt.undo.possible ? null : receipt.undo.reason,
  });

export const readingTools: readonly Tool[] = [
  find,
  getTask,
  getDocument,
  listDocuments,
  listProjects,
  getProject,
  ...listingTools,
  getReceipt,
];
