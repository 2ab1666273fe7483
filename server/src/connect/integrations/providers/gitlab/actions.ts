// Actions at GitLab (REST API v4). It takes no keys: what we write contains a marker, and the newest hundred are
// searched for it.
import Type from "typebox";
import type { ActionEffect, ProviderAction, Resource, Tells } from "../../client/provider.ts";
import {
  type Commenting,
  foundIn,
  inputs,
  madeOf,
  marked,
  numberIn,
  type Opening,
  type Reporting,
  shortened,
} from "../forge.ts";
import { fieldsOf } from "../untrusted-fields.ts";

const at = ({ externalId }: Resource, path: string) => `/projects/${encodeURIComponent(externalId)}${path}`;
const NEWEST = "order_by=created_at&sort=desc&per_page=100";

interface Noting extends Commenting {
  on?: "issue" | "merge_request";
}
const notes = ({ on = "merge_request", number }: Noting) =>
  `/${on === "issue" ? "issues" : "merge_requests"}/${number}/notes`;
/** A note has no page of its own: the page of its merge request or issue shows it. */
const noted = (body: unknown): ActionEffect => madeOf(body, "id", "");

const comment: ProviderAction = {
  name: "Comment on a merge request or an issue",
  input: Type.Object(
    { ...inputs.comment.properties, on: Type.Optional(Type.Enum(["merge_request", "issue"])) },
    { additionalProperties: false },
  ),
  keyed: false,
  perform: async (ask, resource, input: Noting, marker) =>
    noted((await ask("POST", at(resource, notes(input)), { json: { body: marked(input.text, marker) } })).body),
  async find(ask, resource, marker, input: Noting) {
    const { body } = await ask("GET", at(resource, `${notes(input)}?${NEWEST}`));
    const found = foundIn(body, "body", marker);
    return found === undefined ? null : noted(found);
  },
};

const createIssue: ProviderAction = {
  name: "Open an issue",
  input: inputs.issue,
  keyed: false,
  async perform(ask, resource, { title, text = "" }: Opening, marker) {
    const json = { title, description: marked(text, marker) };
    return madeOf((await ask("POST", at(resource, "/issues"), { json })).body, "iid", "web_url");
  },
  async find(ask, resource, marker) {
    const { body } = await ask("GET", at(resource, `/issues?${NEWEST}`));
    const found = foundIn(body, "description", marker);
    return found === undefined ? null : madeOf(found, "iid", "web_url");
  },
};

/** Closing an issue is idempotent. */
const closeIssue: ProviderAction = {
  name: "Close an issue",
  input: inputs.number,
  keyed: true,
  perform: async (ask, resource, { number }: { number: number }) =>
    madeOf(
      (await ask("PUT", at(resource, `/issues/${number}`), { json: { state_event: "close" } })).body,
      ...(["iid", "web_url"] as const),
    ),
};

const STATES = { pending: "pending", success: "success", failure: "failed" };
/** GitLab refuses a change from a state to itself, so `find` reads the present state. */
const setStatus: ProviderAction = {
  name: "Set the status of a commit",
  input: inputs.status,
  keyed: false,
  perform: async (ask, resource, { sha, state, context, description, url }: Reporting) =>
    madeOf(
      (
        await ask("POST", at(resource, `/statuses/${sha}`), {
          json: { state: STATES[state], name: context, description, target_url: url },
        })
      ).body,
      ...(["id", "target_url"] as const),
    ),
  async find(ask, resource, _marker, { sha, state, context }: Reporting) {
    const path = `/repository/commits/${sha}/statuses?name=${encodeURIComponent(context)}&per_page=100`;
    const { body } = await ask("GET", at(resource, path));
    const rows: unknown[] = Array.isArray(body) ? body : [];
    const found = rows.find((row) => fieldsOf(row).name === context && fieldsOf(row).status === STATES[state]);
    return found === undefined ? null : madeOf(found, "id", "target_url");
  },
};

export const gitlabActions = { comment, create_issue: createIssue, close_issue: closeIssue, set_status: setStatus };
export const gitlabTells: Tells = {
  comment(entity, text) {
    const found = numberIn(entity.url);
    if (!found) return null;
    const on = found.isIssue ? "issue" : "merge_request";
    return { action: "comment", input: { number: found.number, text: shortened(text), on } };
  },
};
