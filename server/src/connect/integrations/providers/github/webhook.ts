// Webhook of GitHub: branches, commits, pull requests with their checks, comments, and changes of the app's
// installation. Signed without a time: the same body is accepted once. A pull request is identified by the id of its
// repository and its number, which a new name of the repository does not change.
import type { By, ConnectionEvent, Entity, ResourceEvent, Webhook } from "../../client/provider.ts";
import { branchId, branchOf, pullId, pullOf } from "../forge.ts";
import { isHmac } from "../signatures.ts";
import { fieldsOf, listOf, mayName, textOf, timeOf, unwrapped, urlOf } from "../untrusted-fields.ts";

type Fields = ReturnType<typeof fieldsOf>;
const MOST_COMMITS = 50;
/** Associations that the owner of the repository has granted. */
const KNOWN = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
const HEADS = "refs/heads/";
export const TREE = "tree";

const idOf = (value: unknown) => textOf(fieldsOf(value).id, 40);
/** If the delivery does not show that they may write, the provider is asked. */
const byOf = (user: unknown, writes: boolean): By | null =>
  idOf(user) === ""
    ? null
    : { externalId: idOf(user), name: textOf(fieldsOf(user).login, 100), ...(writes && { writes }) };
const isKnown = ({ author_association }: Fields) => KNOWN.has(String(author_association));

function branch(body: Fields, name: string, state: string): ResourceEvent {
  const repository = fieldsOf(body.repository);
  const resource = idOf(repository);
  const entity = branchOf(resource, urlOf(repository.html_url), TREE, name, state);
  return {
    what: "entity",
    resource,
    kind: "branch",
    by: byOf(body.sender, true),
    texts: [name],
    step: null,
    entity: { ...entity, changedAt: timeOf(fieldsOf(body.head_commit).timestamp) },
  };
}

/** A person who pushes may write. */
function push(body: Fields): ResourceEvent[] {
  const ref = textOf(body.ref, 400);
  if (!ref.startsWith(HEADS)) return [];
  const name = ref.slice(HEADS.length);
  const resource = idOf(body.repository);
  const commits = listOf(body.commits, 2000)
    .map(fieldsOf)
    .filter(({ message }) => mayName(message))
    .slice(-MOST_COMMITS);
  return [
    branch(body, name, body.deleted === true ? "deleted" : "open"),
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
      return {
        what: "entity",
        resource,
        kind: "commit",
        by: byOf(body.sender, true),
        entity,
        texts: [text],
        step: null,
      };
    }),
  ];
}

type Step = Extract<ResourceEvent, { what: "entity" }>["step"];
const STEPS: Readonly<Record<string, Step>> = {
  opened: "opened",
  reopened: "opened",
  ready_for_review: "review",
  review_requested: "review",
};
/** A person who acts on a pull request of somebody else may write; on their own, the association decides. */
function pullRequest(body: Fields): ResourceEvent[] {
  const pull = fieldsOf(body.pull_request);
  const resource = idOf(body.repository);
  const { texts, ...entity } = pullOf(resource, pull);
  const own = idOf(body.sender) === idOf(pull.user);
  const merged = entity.state === "merged";
  const writes = merged || !own || isKnown(pull);
  const step = body.action === "closed" ? (merged ? "merged" : "closed") : (STEPS[String(body.action)] ?? null);
  return [{ what: "entity", resource, kind: "pull_request", by: byOf(body.sender, writes), entity, texts, step }];
}

const CONCLUSIONS: Readonly<Record<string, "passing" | "failing">> = {
  success: "passing",
  neutral: "passing",
  skipped: "passing",
  failure: "failing",
  timed_out: "failing",
  cancelled: "failing",
  action_required: "failing",
  startup_failure: "failing",
};
function checkSuite(body: Fields): ResourceEvent[] {
  const suite = fieldsOf(body.check_suite);
  const resource = idOf(body.repository);
  const checks = suite.status === "completed" ? CONCLUSIONS[String(suite.conclusion)] : "pending";
  if (!checks) return [];
  const pulls = listOf(suite.pull_requests, 20).map((pull) => pullId(resource, fieldsOf(pull).number));
  const of = [
    ...pulls.map((externalId) => ({ kind: "pull_request" as const, externalId })),
    { kind: "commit" as const, externalId: textOf(suite.head_sha, 64) },
    { kind: "branch" as const, externalId: branchId(resource, textOf(suite.head_branch, 400)) },
  ];
  const changedAt = timeOf(suite.updated_at);
  return [{ what: "checks", resource, kind: "pull_request", by: null, of, checks, changedAt }];
}
const STATES: Readonly<Record<string, "pending" | "passing" | "failing">> = {
  pending: "pending",
  success: "passing",
  failure: "failing",
  error: "failing",
};
function status(body: Fields): ResourceEvent[] {
  const checks = STATES[String(body.state)];
  const resource = idOf(body.repository);
  const branches = listOf(body.branches, 20).map((each) => branchId(resource, textOf(fieldsOf(each).name, 400)));
  const of = [
    { kind: "commit" as const, externalId: textOf(body.sha, 64) },
    ...branches.map((externalId) => ({ kind: "branch" as const, externalId })),
  ];
  if (!checks) return [];
  return [{ what: "checks", resource, kind: "pull_request", by: null, of, checks, changedAt: timeOf(body.updated_at) }];
}

/** Ignores comments by programs, ours among them. */
function said(body: Fields, sent: unknown, number: unknown, prefix: string): ResourceEvent[] {
  const comment = fieldsOf(sent);
  const user = fieldsOf(comment.user);
  const text = textOf(comment.body, 20_000);
  const resource = idOf(body.repository);
  const program = user.type === "Bot" || fieldsOf(comment.performed_via_github_app).id !== undefined;
  if (program || text.trim() === "" || idOf(comment) === "") return [];
  return [
    {
      what: "comment",
      resource,
      kind: "comment",
      by: byOf(user, isKnown(comment)),
      on: { kind: "pull_request", externalId: pullId(resource, number) },
      comment: { externalId: `${prefix}${idOf(comment)}`, text, url: urlOf(comment.html_url) },
    },
  ];
}

const MAPS: Readonly<Record<string, (body: Fields) => readonly (ResourceEvent | ConnectionEvent)[]>> = {
  push,
  create: (body) => (body.ref_type === "branch" ? [branch(body, textOf(body.ref, 400), "open")] : []),
  delete: (body) => (body.ref_type === "branch" ? [branch(body, textOf(body.ref, 400), "deleted")] : []),
  pull_request: pullRequest,
  check_suite: checkSuite,
  status,
  issue_comment: (body) =>
    body.action === "created" && fieldsOf(body.issue).pull_request
      ? said(body, body.comment, fieldsOf(body.issue).number, "")
      : [],
  pull_request_review: (body) =>
    body.action === "submitted" ? said(body, body.review, fieldsOf(body.pull_request).number, "review-") : [],
  installation: (body) => (body.action === "deleted" ? [{ what: "removed" }] : [{ what: "resources_changed" }]),
  installation_repositories: () => [{ what: "resources_changed" }],
  repository: () => [{ what: "resources_changed" }],
};

export const webhook: Webhook = {
  age: null,
  verify: (headers, body, secret) => {
    const [, given] = String(headers["x-hub-signature-256"]).match(/^sha256=(.*)$/) ?? [];
    return isHmac(given, secret, body);
  },
  /** Sent when the app is registered, before anybody has installed it. */
  challenge: (body) => (typeof unwrapped(body).zen === "string" ? {} : null),
  read(headers, sent) {
    const body = unwrapped(sent);
    const kind = textOf(headers["x-github-event"], 100);
    const account = idOf(body.installation);
    return kind === "" || account === "" ? null : { key: null, account, lane: idOf(body.repository), kind };
  },
  happened: (kind, body) => (Object.hasOwn(MAPS, kind) ? (MAPS[kind]?.(unwrapped(body)) ?? []) : []),
};
