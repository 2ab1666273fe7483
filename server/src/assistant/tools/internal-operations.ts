// Additional operations of the tools: find a Project by key, read a Document and a Project whole, by names, in one
// round-trip, and write an approved patch. They are called within the process and have no address.

import { type AnyOperation, op } from "@svc/contract/kit.ts";
import { CliProjectFields } from "@svc/contract/surfaces/cli/projects.ts";
import { Id, nullable, object, Timestamp } from "@svc/contract/types.ts";
import Type from "typebox";
import { writePatch } from "../../history/proposals/patch-change.ts";
import { writtenPatches } from "../../history/proposals/patch-store.ts";
import { documentByPathAs } from "../../knowledge/documents/access.ts";
import { content } from "../../knowledge/documents/content/access.ts";
import { type ProjectTarget, projectByCodeAs } from "../../planning/projects/access.ts";
import { stepName } from "../../planning/tasks/context/view.ts";
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql } from "../../platform/database/sql.ts";
import { view } from "../../platform/database/view.ts";
import {
  type Access,
  type Implementation,
  implement,
  type ListResult,
} from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";

/** Gives an operation without an address this id. */
export const named = <Declared extends AnyOperation>(id: string, operation: Declared): Declared =>
  Object.assign(operation, { id });

const projectWhole = view(CliProjectFields, "p", {
  code: "p.key",
  state: stepName("project_states", "p.workspace_id", "p.state_id"),
});
const projectByCode = () => projectByCodeAs<ProjectTarget>("work:read", `${projectWhole} as json`);

export const findProject = implement(
  named(
    "findProjectByKey",
    op("GET /tools/projects/{project_code}", "Find a Project by its key", {
      auth: [],
      returns: object({ id: Type.String() }),
    }),
  ),
  projectByCode(),
  async (_context, { target: { id } }) => ({ id }),
);

const NamedDocument = object({
  id: Id,
  path: Type.String(),
  title: Type.String(),
  project: nullable(Type.String()),
  archived_at: nullable(Timestamp),
  trashed_at: nullable(Timestamp),
  content_revision: Type.String(),
  markdown: Type.String(),
});
const documentWhole = view(NamedDocument, "d", {
  project: "p.key",
  content_revision: "d.content_revision::text",
  markdown: `(select r.markdown from document_revisions r
      where r.workspace_id = d.workspace_id and r.document_id = d.id and r.revision = d.content_revision)`,
});
export const readDocument = implement(
  named(
    "readDocumentByPath",
    op("GET /tools/documents/{document_path}", "Read a Document by its path", { auth: [], returns: NamedDocument }),
  ),
  documentByPathAs("documents:read", documentWhole),
  async (_context, { target: { json } }) => render({ json }, []),
);

/** Writes a patch that the same Actor has drafted, at the revision that it is based on. */
export const writeDocumentPatch = implement(
  named(
    "writeDocumentPatch",
    op("PUT /tools/documents/{document_id}/patch", "Write a drafted patch", {
      auth: [],
      ifMatch: "required",
      body: object({ patch_id: Id, version: Type.Integer() }),
      returns: object({ content_revision: Type.String() }),
    }),
  ),
  content("documents:write", "markdown"),
  async (context, { target, body: { patch_id, version } }) => {
    const [patch] = await writtenPatches(context.tx, [{ id: patch_id, version }]);
    if (patch?.document_id !== target.id || patch.base_revision !== target.revision) return refuse("not_found");
    return writePatch(context, target, patch);
  },
);

/** Placeholder for the id of a Project until a statement is sent. */
const OF_KEY = "the Project with the key";
const keyed = cachedSql((sql: string, place: string) =>
  sql.replaceAll(
    new RegExp(`\\$${place}\\b`, "g"),
    `(select k.id from projects k where k.workspace_id = current_workspace() and k.key = $${place}::text)`,
  ),
);
/** Connection whose statements accept OF_KEY as the id of the Project with this key. */
function byKey(tx: Queries, key: string): Queries {
  const sent = (sql: string, values: unknown[] = []): [string, unknown[]] => {
    const at = values.indexOf(OF_KEY);
    return at < 0 ? [sql, values] : [keyed(sql, String(at + 1)), values.with(at, key)];
  };
  return {
    rows: (sql, values) => tx.rows(...sent(sql, values)),
    maybe: (sql, values) => tx.maybe(...sent(sql, values)),
    one: (sql, values) => tx.one(...sent(sql, values)),
  };
}

/** Lists shown with a Project, each cut at a limit. */
const inside = {
  statuses: { operation: "listProjectStatuses", query: {}, limit: 100 },
  labels: { operation: "listProjectLabels", query: { purpose: "task" }, limit: 100 },
  milestones: { operation: "listMilestones", query: {}, limit: 10 },
} as const;
type Lists = Record<keyof typeof inside, { items: string[]; more: boolean }>;
function firstOf(listed: ListResult, limit: number): Lists["labels"] {
  const rows = Array.isArray(listed) ? listed : listed.rows;
  const items = rows.slice(0, limit).flatMap(({ json }) => json ?? []);
  return { items, more: rows.length > items.length };
}

/** Runs the queries of the list operations, sent together with the Project. */
const wholeProject = (implementationOf: (id: string) => Implementation): Access<ProjectTarget & { lists: Lists }> => {
  const alone = projectByCode();
  return {
    ...alone,
    async load(tx, params, change) {
      const here = byKey(tx, (params.project_code as string).toUpperCase());
      const asked = Object.entries(inside).map(async ([name, { operation, query, limit }]) => {
        const page = { after: null, limit };
        const listed = await implementationOf(operation).run(here, { params: { project_id: OF_KEY }, query, page });
        return [name, firstOf(listed, limit)] as const;
      });
      const [found, ...lists] = await Promise.all([alone.load(tx, params, change), ...asked]);
      return found && { ...found, lists: Object.fromEntries(lists) as Lists };
    },
  };
};
export const readProject = (implementationOf: (id: string) => Implementation) =>
  implement(
    named(
      "readProjectByKey",
      op("GET /tools/projects/{project_code}/whole", "Read a Project with what is in it", {
        auth: [],
        returns: Type.Unsafe<Record<string, unknown>>({}),
      }),
    ),
    wholeProject(implementationOf),
    async (_context, { target: { json, lists } }) => {
      const shown = Object.entries(lists).map(
        ([name, { items, more }]) => `"${name}":{"items":[${items.join(",")}],"more":${more}}`,
      );
      return render({ json: `{"project":${json},${shown.join(",")}}` }, []);
    },
  );
