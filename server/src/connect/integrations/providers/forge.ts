// Shared code of services that host repositories: what we write there contains our marker where readers do not see it,
// and a search finds it.
import Type from "typebox";
import type {
  ActionEffect,
  Ask,
  ConnectionAdapter,
  Entity,
  EntitySnapshot,
  ProviderAction,
  Resource,
  Tells,
} from "../client/provider.ts";
import { ProviderFault } from "../client/provider-http.ts";
import { fieldsOf, textOf, timeOf, urlOf } from "./untrusted-fields.ts";

const MOST_TEXT = 20_000;
const Text = Type.String({ minLength: 1, maxLength: MOST_TEXT, description: "Markdown." });
const Title = Type.String({ minLength: 1, maxLength: 250 });
/** Number of an issue or a pull request, as people see it. */
const IssueNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const Sha = Type.String({
  pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$",
  maxLength: 64,
  description: "Of a commit, whole.",
});
const Url = Type.String({ maxLength: 2000, pattern: "^https?://[^\\s]+$" });
const closed = { additionalProperties: false };

export const inputs = {
  comment: Type.Object({ number: IssueNumber, text: Text }, closed),
  issue: Type.Object({ title: Title, text: Type.Optional(Text) }, closed),
  number: Type.Object({ number: IssueNumber }, closed),
  status: Type.Object(
    {
      sha: Sha,
      state: Type.Enum(["pending", "success", "failure"]),
      context: Type.String({ minLength: 1, maxLength: 100 }),
      description: Type.Optional(Type.String({ maxLength: 140 })),
      url: Type.Optional(Url),
    },
    closed,
  ),
};
export interface Commenting {
  number: number;
  text: string;
}
export interface Opening {
  title: string;
  text?: string;
}
export interface Reporting {
  sha: string;
  state: "pending" | "success" | "failure";
  context: string;
  description?: string;
  url?: string;
}

/** Encoded owner/name for a path. */
export function repositoryPath({ name }: Resource): string {
  const parts = name.split("/");
  if (parts.length !== 2 || parts.some((part) => part === "" || /^\.+$/.test(part)))
    throw new ProviderFault("resource_missing");
  return parts.map(encodeURIComponent).join("/");
}

/**
 * A branch is identified by the id of its repository and its name, a pull request by its number, which a new name of
 * the repository does not change.
 */
export const branchId = (repository: string, name: string) => `${repository}:${name}`;
export const pullId = (repository: string, number: unknown) => `${repository}#${textOf(number, 20)}`;
/** Part after the id of the repository. */
const ownPart = (externalId: string) => externalId.replace(/^[^:#]*[:#]/, "");
export function numberOf({ externalId }: Pick<Entity, "externalId">): string {
  const number = ownPart(externalId);
  if (!/^\d{1,9}$/.test(number)) throw new ProviderFault("resource_missing");
  return number;
}
/** Git accepts no part that begins with a dot. */
export function branchNameOf({ externalId }: Pick<Entity, "externalId">): string {
  const name = ownPart(externalId);
  if (name.split("/").some((part) => part === "" || part.startsWith("."))) throw new ProviderFault("resource_missing");
  return name;
}

/** `home`: the page of the repository. `tree`: the path segment of its branch pages. */
export const branchOf = (repository: string, home: string, tree: string, name: string, state: string): Entity => ({
  kind: "branch",
  externalId: branchId(repository, name),
  title: name,
  state,
  changedAt: timeOf(null),
  url: home === "" ? "" : urlOf(`${home}/${tree}/${name.split("/").map(encodeURIComponent).join("/")}`),
});
/** Reads a pull request of an API with GitHub's field names. */
export function pullOf(repository: string, sent: unknown): Required<Pick<EntitySnapshot, "texts">> & Entity {
  const pull = fieldsOf(sent);
  const merged = pull.merged === true || typeof pull.merged_at === "string";
  return {
    kind: "pull_request",
    externalId: pullId(repository, pull.number),
    title: textOf(pull.title, 300),
    url: urlOf(pull.html_url),
    state: merged ? "merged" : pull.state === "closed" ? "closed" : pull.draft === true ? "draft" : "open",
    authorName: textOf(fieldsOf(pull.user).login, 100) || null,
    changedAt: timeOf(pull.updated_at),
    texts: [pull.title, pull.body, fieldsOf(pull.head).ref].map((text) => textOf(text, 20_000)),
  };
}
/** Lookup for an API with GitHub's paths. Another repository that has taken the name does not match. */
export const issueLook =
  (tree: string): NonNullable<ConnectionAdapter["look"]> =>
  async (ask, resource, entity) => {
    const home = `/repos/${repositoryPath(resource)}`;
    if (entity.kind === "branch") {
      const name = branchNameOf(entity);
      await ask("GET", `${home}/branches/${name.split("/").map(encodeURIComponent).join("/")}`);
      return branchOf(resource.externalId, resource.url ?? "", tree, name, "open");
    }
    if (entity.kind !== "pull_request") throw new ProviderFault("unsupported");
    const { body } = await ask("GET", `${home}/pulls/${numberOf(entity)}`);
    const { id } = fieldsOf(fieldsOf(fieldsOf(body).base).repo);
    return textOf(id, 40) === resource.externalId ? pullOf(resource.externalId, body) : null;
  };

export const marked = (text: string, marker: string) => `${text}\n\n<!-- ${marker} -->`;

/** Reads the id and the page of what was created, by the provider's field names. Without an id it may not exist. */
export function madeOf(body: unknown, id: string, url: string): ActionEffect {
  const fields = fieldsOf(body);
  const externalId = textOf(fields[id], 200);
  if (externalId === "") throw new ProviderFault("unknown");
  return { externalId, url: textOf(fields[url], 2000) || null };
}

/** Finds the item whose text contains the marker. */
export function foundIn(list: unknown, text: string, marker: string): unknown {
  const rows: unknown[] = Array.isArray(list) ? list : [];
  return rows.find((row) => String(fieldsOf(row)[text] ?? "").includes(marker));
}

/** Lists of the newest: comments of the repository or of one issue, and issues. */
interface Listed {
  comments: (number: number) => string;
  issues: string;
}
/** Actions of an API with GitHub's paths. */
export function issueActions({ comments, issues }: Listed) {
  const at = (resource: Resource, path: string) => `/repos/${repositoryPath(resource)}${path}`;
  const look = async (ask: Ask, path: string, marker: string, id: string) => {
    const { body } = await ask("GET", path, { bytes: 8 * 1024 * 1024 });
    const found = foundIn(body, "body", marker);
    return found === undefined ? null : madeOf(found, id, "html_url");
  };
  const comment: ProviderAction = {
    name: "Comment on an issue or a pull request",
    input: inputs.comment,
    keyed: false,
    async perform(ask, resource, { number, text }: Commenting, marker) {
      const json = { body: marked(text, marker) };
      return madeOf((await ask("POST", at(resource, `/issues/${number}/comments`), { json })).body, "id", "html_url");
    },
    find: (ask, resource, marker, { number }: Commenting) => look(ask, at(resource, comments(number)), marker, "id"),
  };
  const create: ProviderAction = {
    name: "Open an issue",
    input: inputs.issue,
    keyed: false,
    async perform(ask, resource, { title, text = "" }: Opening, marker) {
      const json = { title, body: marked(text, marker) };
      return madeOf((await ask("POST", at(resource, "/issues"), { json })).body, "number", "html_url");
    },
    find: (ask, resource, marker) => look(ask, at(resource, issues), marker, "number"),
  };
  // Closing an issue is idempotent.
  const close: ProviderAction = {
    name: "Close an issue",
    input: inputs.number,
    keyed: true,
    async perform(ask, resource, { number }: { number: number }) {
      const json = { state: "closed" };
      return madeOf((await ask("PATCH", at(resource, `/issues/${number}`), { json })).body, "number", "html_url");
    },
  };
  // The newest status of a context counts, so that reporting is idempotent.
  const report: ProviderAction = {
    name: "Set the status of a commit",
    input: inputs.status,
    keyed: true,
    async perform(ask, resource, { sha, state, context, description, url }: Reporting) {
      const json = { state, context, description, target_url: url };
      return madeOf((await ask("POST", at(resource, `/statuses/${sha}`), { json })).body, "id", "target_url");
    },
  };
  return { comment, create_issue: create, close_issue: close, set_status: report };
}

const NUMBERED = /\/(pull|pulls|merge_requests|issues)\/(\d{1,9})(?:[/?#]|$)/;
/** The address contains the number that people see. */
export const numberIn = (url: string) => {
  const [, page = "", number = ""] = NUMBERED.exec(url) ?? [];
  return number === "" ? null : { number: Number(number), isIssue: page === "issues" };
};
export const issueTells: Tells = {
  comment(entity, text) {
    const found = numberIn(entity.url);
    return found && { action: "comment", input: { number: found.number, text: shortened(text) } };
  },
};
export const shortened = (text: string) => [...text].slice(0, MOST_TEXT).join("");
