// Webhook of Gitea (and Forgejo): branches, commits, pull requests, checks and comments. Signed without a time: the
// same body is accepted once. Payloads use GitHub's names, except for write permission, which is asked of the server.
import type { By, Entity, ResourceEvent, Webhook } from "../../client/provider.ts";
import { branchOf, pullId, pullOf } from "../forge.ts";
import { isHmac } from "../signatures.ts";
import { fieldsOf, listOf, mayName, textOf, timeOf, unwrapped, urlOf } from "../untrusted-fields.ts";

type Fields = ReturnType<typeof fieldsOf>;
const MOST_COMMITS = 50;
const HEADS = "refs/heads/";
export const TREE = "src/branch";
const idOf = (value: unknown) => textOf(fieldsOf(value).id, 40);
const byOf = (user: unknown, writes?: boolean): By | null =>
  idOf(user) === ""
    ? null
    : {
        externalId: idOf(user),
        name: textOf(fieldsOf(user).login, 100),
        ...(writes !== undefined && { writes }),
      };

function branch(body: Fields, name: string, state: string): ResourceEvent {
  const repository = fieldsOf(body.repository);
  const resource = idOf(repository);
  const entity = branchOf(resource, urlOf(repository.html_url), TREE, name, state);
  return { what: "entity", resource, kind: "branch", by: byOf(body.sender, true), texts: [name], step: null, entity };
}

function push(body: Fields): ResourceEvent[] {
  const ref = textOf(body.ref, 400);
  if (!ref.startsWith(HEADS)) return [];
  const resource = idOf(body.repository);
  const commits = listOf(body.commits, 2000)
    .map(fieldsOf)
    .filter(({ message }) => mayName(message))
    .slice(0, MOST_COMMITS);
  return [
    branch(body, ref.slice(HEADS.length), "open"),
    ...commits.map(({ id, message, url, timestamp, author }): ResourceEvent => {
      const text = textOf(message, 20_000);
      const entity: Entity = {
        kind: "commit",
        externalId: textOf(id, 64),
        title: textOf(text.split("\n")[0], 300),
        url: urlOf(url),
        state: "pushed",
        authorName: textOf(fieldsOf(author).name, 100) || null,
        changedAt: timeOf(timestamp),
      };
      const by = byOf(body.sender, true);
      return { what: "entity", resource, kind: "commit", by, entity, texts: [text], step: null };
    }),
  ];
}

type Step = Extract<ResourceEvent, { what: "entity" }>["step"];
const STEPS: Readonly<Record<string, Step>> = { opened: "opened", reopened: "opened", review_requested: "review" };
function pullRequest(body: Fields): ResourceEvent[] {
  const pull = fieldsOf(body.pull_request);
  const resource = idOf(body.repository);
  const { texts, ...entity } = pullOf(resource, pull);
  const merged = entity.state === "merged";
  const step = body.action === "closed" ? (merged ? "merged" : "closed") : (STEPS[String(body.action)] ?? null);
  // A person who merges may write; for one who opens it the delivery does not say.
  const by = byOf(body.sender, merged ? true : undefined);
  return [{ what: "entity", resource, kind: "pull_request", by, entity, texts, step }];
}

const STATES: Readonly<Record<string, "pending" | "passing" | "failing">> = {
  pending: "pending",
  success: "passing",
  failure: "failing",
  error: "failing",
  warning: "passing",
};
function status(body: Fields): ResourceEvent[] {
  const checks = STATES[String(body.state)];
  const of = [{ kind: "commit" as const, externalId: textOf(body.sha, 64) }];
  const changedAt = timeOf(body.updated_at);
  const resource = idOf(body.repository);
  return checks ? [{ what: "checks", resource, kind: "pull_request", by: null, of, checks, changedAt }] : [];
}

function comment(body: Fields): ResourceEvent[] {
  const said = fieldsOf(body.comment);
  const text = textOf(said.body, 20_000);
  const resource = idOf(body.repository);
  const isPull = body.is_pull === true || fieldsOf(body.issue).pull_request;
  if (body.action !== "created" || !isPull || text.trim() === "" || idOf(said) === "") return [];
  return [
    {
      what: "comment",
      resource,
      kind: "comment",
      by: byOf(said.user),
      on: { kind: "pull_request", externalId: pullId(resource, fieldsOf(body.issue).number) },
      comment: { externalId: idOf(said), text, url: urlOf(said.html_url) },
    },
  ];
}

const MAPS: Readonly<Record<string, (body: Fields) => readonly ResourceEvent[]>> = {
  push,
  create: (body) => (body.ref_type === "branch" ? [branch(body, textOf(body.ref, 400), "open")] : []),
  delete: (body) => (body.ref_type === "branch" ? [branch(body, textOf(body.ref, 400), "deleted")] : []),
  pull_request: pullRequest,
  pull_request_review_request: pullRequest,
  status,
  issue_comment: comment,
  pull_request_comment: comment,
};

export const webhook: Webhook = {
  age: null,
  verify: (headers, body, secret) =>
    isHmac(headers["x-gitea-signature"] ?? headers["x-forgejo-signature"], secret, body),
  read(headers, sent) {
    const kind = textOf(headers["x-gitea-event"] ?? headers["x-forgejo-event"], 100);
    const lane = idOf(unwrapped(sent).repository);
    return kind === "" ? null : { key: null, account: null, lane, kind };
  },
  happened: (kind, body) => (Object.hasOwn(MAPS, kind) ? (MAPS[kind]?.(unwrapped(body)) ?? []) : []),
};
