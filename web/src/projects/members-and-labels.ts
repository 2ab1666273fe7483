// Project members and label overrides. The API gives neither an id of its own: the store uses the Project's id and the
// other id.
import type { Client } from "@svc/client";
import type { Brought, Domain, Operation } from "../store/domain.ts";
import { orGone } from "../store/hints.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { Replica } from "../store/replica.ts";
import type { LabelOverride, ProjectMember, RowKind } from "../store/rows.ts";
import type { Index } from "../store/sorted-index.ts";
import { allOf } from "./operations.ts";

type Applied = Pick<QueuedChange, "input" | "guess" | "creates" | "madeAt">;
export const partId = (projectId: string, otherId: string) => `${projectId}:${otherId}`;

const asMember = <T extends Omit<ProjectMember, "id">>(row: T) => ({
  ...row,
  id: partId(row.project_id, row.actor_id),
});
const asOverride = <T extends Omit<LabelOverride, "id">>(row: T) => ({
  ...row,
  id: partId(row.project_id, row.label_id),
});
const read = {
  project_member: async (api: Client, project_id: string) =>
    (await allOf(api.listProjectMembers({ project_id, limit: 100 }))).map(asMember),
  label_override: async (api: Client, project_id: string) =>
    (await api.listLabelOverrides({ project_id })).items.map(asOverride),
};

/** Sorts the members of a Project by the time they joined. */
export const byProject: Index<ProjectMember> = {
  groups: ({ project_id }) => [project_id],
  compare: (one, other) => (one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0),
};

/** Loads all rows of a Project and removes those that no longer exist. */
export async function loadParts(replica: Replica, kind: keyof typeof read, projectId: string) {
  const rows = await read[kind](replica.api, projectId);
  const seen = new Set(rows.map(({ id }) => id));
  const known = [...replica.store.allSaid(kind)] as { id: string; project_id: string }[];
  const gone = known.filter(({ id, project_id }) => project_id === projectId && !seen.has(id)).map(({ id }) => id);
  replica.take({ [kind]: rows, gone: { [kind]: gone } } as Brought);
}

/** A hint names only the other id: a page that shows the Project's rows reads all of them again. */
const readAgain = (kind: keyof typeof read) => async (api: Client, id: string) => {
  const [projectId = "", otherId] = id.split(":");
  if (otherId === undefined) return {};
  const rows = read[kind](api, projectId).then((found) => found.filter((row) => row.id === id));
  return orGone(
    kind,
    id,
    rows.then((found) => (found.length > 0 ? { [kind]: found } : { gone: { [kind]: [id] } }) as Brought),
  );
};

function addMember(_row: ProjectMember | undefined, { input, guess, creates, madeAt }: Applied): ProjectMember {
  const now = new Date(madeAt).toISOString();
  return {
    id: creates as string,
    revision: "0",
    created_at: now,
    updated_at: now,
    user_id: "",
    state: "active",
    display_name: null,
    username: null,
    picture_url: null,
    ...(guess as object),
    ...(input as unknown as Pick<ProjectMember, "project_id" | "actor_id" | "role">),
  };
}
type Fields = Pick<LabelOverride, "project_id" | "label_id" | "name" | "color" | "hidden">;
function override(row: LabelOverride | undefined, { input, madeAt }: Applied, id: string): LabelOverride {
  const now = new Date(madeAt).toISOString();
  return { id, revision: "0", created_at: now, ...row, ...(input as unknown as Fields), updated_at: now };
}
const operation = (kind: RowKind, apply: unknown, more: Partial<Operation<never>> = {}) =>
  ({ kind, apply, ...more }) as unknown as Operation<never>;
const goes = (kind: RowKind): Pick<Operation, "took"> => ({
  took: async (_answer, { ids }) => ({ gone: { [kind]: ids } }),
});

export const projectPartsDomain: Domain = {
  operations: {
    addProjectMember: operation("project_member", addMember, {
      unmatched: true,
      took: async (answer) => ({ project_member: [asMember(answer as ProjectMember)] }),
    }),
    updateProjectMember: operation(
      "project_member",
      (row: ProjectMember | undefined, { input }: Applied) => row && { ...row, role: input.role },
      { took: async (answer) => ({ project_member: [asMember(answer as ProjectMember)] }) },
    ),
    removeProjectMember: operation("project_member", () => undefined, { unmatched: true, ...goes("project_member") }),
    replaceLabelOverride: operation("label_override", override, {
      absent: "0",
      took: async (answer) => ({ label_override: [asOverride(answer as LabelOverride)] }),
    }),
    deleteLabelOverride: operation("label_override", () => undefined, goes("label_override")),
  },
  read: { project_member: readAgain("project_member"), label_override: readAgain("label_override") },
};
