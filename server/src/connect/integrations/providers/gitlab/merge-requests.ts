// Merge requests and branches of GitLab, as a delivery or its REST API v4 describes them.
import type { ConnectionAdapter, Entity, Party } from "../../client/provider.ts";
import { ProviderFault } from "../../client/provider-http.ts";
import { branchNameOf, branchOf, numberOf, pullId } from "../forge.ts";
import { fieldsOf, textOf, timeOf, urlOf } from "../untrusted-fields.ts";

export const TREE = "-/tree";
/** Reads GitLab's times: "2026-11-17 12:00:00 UTC" or ISO 8601. */
export const timeAt = (value: unknown) =>
  timeOf(typeof value === "string" ? value.replace(/ UTC$/, "Z").replace(" ", "T") : value);

type Fields = ReturnType<typeof fieldsOf>;
export const isDraft = (merge: Fields) => merge.draft === true || merge.work_in_progress === true;
/** `url`: its page, which deliveries and the API call differently. */
export function mergeOf(project: string, merge: Fields, url: unknown): Entity & { texts: string[] } {
  const state = textOf(merge.state, 40);
  return {
    kind: "pull_request",
    externalId: pullId(project, merge.iid),
    title: textOf(merge.title, 300),
    url: urlOf(url),
    state: state === "opened" ? (isDraft(merge) ? "draft" : "open") : state || "open",
    authorName: textOf(fieldsOf(merge.author).username, 100) || null,
    changedAt: timeAt(merge.updated_at),
    texts: [merge.title, merge.description, merge.source_branch].map((text) => textOf(text, 20_000)),
  };
}

export const look: NonNullable<ConnectionAdapter["look"]> = async (ask, { externalId: project, url }, entity) => {
  const at = `/projects/${encodeURIComponent(project)}`;
  if (entity.kind === "branch") {
    const name = branchNameOf(entity);
    await ask("GET", `${at}/repository/branches/${encodeURIComponent(name)}`);
    return branchOf(project, url ?? "", TREE, name, "open");
  }
  if (entity.kind !== "pull_request") throw new ProviderFault("unsupported");
  const merge = fieldsOf((await ask("GET", `${at}/merge_requests/${numberOf(entity)}`)).body);
  return { ...mergeOf(project, merge, merge.web_url), doers: doersOf(merge) };
};
const personOf = (value: unknown): Party | null => {
  const { id, username } = fieldsOf(value);
  return textOf(id, 40) === "" ? null : { externalId: textOf(id, 40), name: textOf(username, 100) };
};
/** GitLab does not say who reopened it or asked for a review. */
const doersOf = ({ author, merge_user, merged_by, closed_by }: Fields) => ({
  opened: personOf(author),
  merged: personOf(merge_user ?? merged_by),
  closed: personOf(closed_by),
});

/** Internal notes are not delivered to us, and nobody can make us read one by its number. */
export const hear: NonNullable<ConnectionAdapter["hear"]> = async (ask, { externalId: project }, on, commentId) => {
  if (on.kind !== "pull_request") throw new ProviderFault("unsupported");
  const at = `/projects/${encodeURIComponent(project)}/merge_requests/${numberOf(on)}`;
  const note = fieldsOf((await ask("GET", `${at}/notes/${encodeURIComponent(commentId)}`)).body);
  const by = personOf(note.author);
  const isForAll = note.system !== true && note.internal !== true && note.confidential !== true;
  return by && isForAll && textOf(note.id, 40) === commentId ? { text: textOf(note.body, 20_000), by } : null;
};
