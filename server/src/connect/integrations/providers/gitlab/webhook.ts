// Webhook of GitLab: branches, commits, merge requests with their pipelines, and notes. Newer servers sign as Standard
// Webhooks; older ones send the secret itself, without a time, and the same body is accepted once. The author and write
// permission are asked of the server.
import { isSigned } from "../../../../platform/wire/standard-webhooks.ts";
import type { By, Entity, EntityStep, ResourceEvent, Webhook } from "../../client/provider.ts";
import { branchId, branchOf, pullId } from "../forge.ts";
import { isSecret } from "../signatures.ts";
import { fieldsOf, listOf, mayName, textOf, urlOf } from "../untrusted-fields.ts";
import { isDraft, mergeOf, TREE, timeAt } from "./merge-requests.ts";

type Fields = ReturnType<typeof fieldsOf>;
const MOST_COMMITS = 50;
const HEADS = "refs/heads/";
const NOTHING = /^0+$/;
const resourceOf = (body: Fields) => textOf(fieldsOf(body.project).id ?? body.project_id, 40);
const byOf = (id: unknown, name: unknown, writes?: boolean): By | null =>
  textOf(id, 40) === ""
    ? null
    : { externalId: textOf(id, 40), name: textOf(name, 100), ...(writes !== undefined && { writes }) };
/** A person who pushes may write. */
function push(body: Fields): ResourceEvent[] {
  const ref = textOf(body.ref, 400);
  if (!ref.startsWith(HEADS)) return [];
  const name = ref.slice(HEADS.length);
  const resource = resourceOf(body);
  const by = byOf(body.user_id, body.user_username, true);
  const state = NOTHING.test(textOf(body.after, 64)) ? "deleted" : "open";
  const branch = branchOf(resource, urlOf(fieldsOf(body.project).web_url), TREE, name, state);
  const commits = listOf(body.commits, 2000)
    .map(fieldsOf)
    .filter(({ message }) => mayName(message))
    .slice(-MOST_COMMITS);
  return [
    { what: "entity", resource, kind: "branch", by, entity: branch, texts: [name], step: null },
    ...commits.map(({ id, message, url, timestamp, author }): ResourceEvent => {
      const text = textOf(message, 20_000);
      const entity: Entity = {
        kind: "commit",
        externalId: textOf(id, 64),
        title: textOf(text.split("\n")[0], 300),
        url: urlOf(url),
        state: "pushed",
        authorName: textOf(fieldsOf(author).name, 100) || null,
        changedAt: timeAt(timestamp),
      };
      return { what: "entity", resource, kind: "commit", by, entity, texts: [text], step: null };
    }),
  ];
}

const STEPS: Readonly<Record<string, EntityStep>> = {
  open: "opened",
  reopen: "opened",
  merge: "merged",
  close: "closed",
};
/** An update counts as a review step if reviewers were added, or if it is no longer a draft. */
function stepOf(body: Fields, merge: Fields): EntityStep | null {
  const action = textOf(merge.action, 40);
  if (action !== "update") return STEPS[action] ?? null;
  const { reviewers, draft } = fieldsOf(body.changes);
  const asked = listOf(fieldsOf(reviewers).current, 20).length > listOf(fieldsOf(reviewers).previous, 20).length;
  return !isDraft(merge) && (asked || fieldsOf(draft).previous === true) ? "review" : null;
}
function mergeRequest(body: Fields): ResourceEvent[] {
  const merge = fieldsOf(body.object_attributes);
  const resource = resourceOf(body);
  const user = fieldsOf(body.user);
  const step = stepOf(body, merge);
  const { texts, ...entity } = mergeOf(resource, merge, merge.url);
  const by = byOf(user.id, user.username, step === "merged" ? true : undefined);
  return [{ what: "entity", resource, kind: "pull_request", by, entity, texts, step }];
}

const STATES: Readonly<Record<string, "pending" | "passing" | "failing">> = {
  success: "passing",
  failed: "failing",
  canceled: "failing",
  pending: "pending",
  running: "pending",
  created: "pending",
};
function pipeline(body: Fields): ResourceEvent[] {
  const run = fieldsOf(body.object_attributes);
  const resource = resourceOf(body);
  const checks = STATES[String(run.status)];
  const number = textOf(fieldsOf(body.merge_request).iid, 20);
  const of: Pick<Entity, "kind" | "externalId">[] = [{ kind: "commit", externalId: textOf(run.sha, 64) }];
  if (number !== "") of.push({ kind: "pull_request", externalId: pullId(resource, number) });
  if (run.tag !== true) of.push({ kind: "branch", externalId: branchId(resource, textOf(run.ref, 400)) });
  const changedAt = timeAt(run.finished_at ?? run.created_at);
  return checks ? [{ what: "checks", resource, kind: "pull_request", by: null, of, checks, changedAt }] : [];
}

function note(body: Fields): ResourceEvent[] {
  const said = fieldsOf(body.object_attributes);
  const number = textOf(fieldsOf(body.merge_request).iid, 20);
  const text = textOf(said.note, 20_000);
  const user = fieldsOf(body.user);
  const resource = resourceOf(body);
  if (said.system === true || number === "" || text.trim() === "") return [];
  if (said.action !== undefined && said.action !== "create") return [];
  return [
    {
      what: "comment",
      resource,
      kind: "comment",
      by: byOf(user.id, user.username),
      on: { kind: "pull_request", externalId: pullId(resource, number) },
      comment: { externalId: textOf(said.id, 40), text, url: urlOf(said.url) },
    },
  ];
}

const MAPS: Readonly<Record<string, (body: Fields) => readonly ResourceEvent[]>> = {
  "Push Hook": push,
  "Merge Request Hook": mergeRequest,
  "Pipeline Hook": pipeline,
  "Note Hook": note,
};

export const webhook: Webhook = {
  age: null,
  verify: (headers, body, secret, now) =>
    headers["webhook-signature"] === undefined
      ? isSecret(headers["x-gitlab-token"], secret)
      : isSigned(headers, body, secret, now),
  read(headers, sent) {
    const kind = textOf(headers["x-gitlab-event"], 100);
    return kind === "" ? null : { key: null, account: null, lane: resourceOf(fieldsOf(sent)), kind };
  },
  happened: (kind, body) => (Object.hasOwn(MAPS, kind) ? (MAPS[kind]?.(fieldsOf(body)) ?? []) : []),
};
