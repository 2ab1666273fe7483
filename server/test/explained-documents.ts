// The query strings and paths with which lists of Documents are explained: every order with every filter that could
// lead to an index of its own.
import { newId } from "../src/platform/wire/ids.ts";
import type { TestService } from "./world.ts";

/** The one below which there are many, and which has many files. */
export async function firstDocument(running: TestService, workspaceId: string): Promise<string> {
  const sql = "select id from documents where path = 'document-1'";
  return (await running.sql<{ id: string }>(sql, [], workspaceId))[0]?.id as string;
}

export async function documentLists(running: TestService, workspaceId: string, project: { id: string; key: string }) {
  const projectId = project.id;
  const id = await firstDocument(running, workspaceId);
  const filters = [
    ...["", "archived=true", "order=asc", "order=desc", "text=1999", "label_id=none", `label_id=${newId()}`],
    ...["project_id=none", `project_id=${projectId}`, `project_id=!${projectId}`, `project_id=${newId()}`],
    ...["parent_id=none", `parent_id=${id}`],
  ];
  const queries = ["updated", "created", "title"].flatMap((sort) =>
    filters.map((filter) => [`sort=${sort}`, filter].filter(Boolean).join("&")),
  );
  const placed = [`parent_id=${id}`, "parent_id=none&project_id=none", `parent_id=none&project_id=${projectId}`];
  return {
    listDocuments: [
      ...queries,
      ...placed.flatMap((place) => [`sort=position&${place}`, `sort=position&order=desc&${place}`]),
      ...["trashed=true", `trashed=true&parent_id=${id}`, `trashed=true&project_id=${projectId}`],
    ].map((query) => `/workspaces/${workspaceId}/documents?${query}`),
    listDocumentChildren: ["", "?archived=true"].map((query) => `/documents/${id}/children${query}`),
    listDocumentLinks: ["", "?kind=task", "?kind=document"].map((query) => `/documents/${id}/links${query}`),
    listCliDocuments: ["", `?project_code=${project.key}`].map((query) => `/cli/documents${query}`),
  };
}
