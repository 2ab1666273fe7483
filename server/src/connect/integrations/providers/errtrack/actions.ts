// Actions at an error tracker with Sentry's API. A state can be set twice; a comment contains our marker, and a search
// finds it.
import Type from "typebox";
import type { ActionEffect, Ask, ProviderAction, Resource, Tells } from "../../client/provider.ts";
import { ProviderFault } from "../../client/provider-http.ts";
import { madeOf, shortened } from "../forge.ts";
import { fieldsOf, textOf } from "../untrusted-fields.ts";

const Issue = Type.String({ pattern: "^[A-Za-z0-9_-]+$", minLength: 1, maxLength: 100, description: "Its id there." });
const closed = { additionalProperties: false };
const at = (issue: string) => `/issues/${encodeURIComponent(issue)}/`;
interface About {
  issue: string;
}
/** Path of an error of this project: errors of other projects are not found. */
async function errorIn(ask: Ask, { externalId }: Resource, { issue }: About): Promise<string> {
  const { id, slug } = fieldsOf(fieldsOf((await ask("GET", at(issue))).body).project);
  if (![id, slug].some((name) => textOf(name, 200) === externalId)) throw new ProviderFault("resource_missing");
  return at(issue);
}
async function set(ask: Ask, resource: Resource, about: About, json: Record<string, string>): Promise<ActionEffect> {
  const { body } = await ask("PUT", await errorIn(ask, resource, about), { json });
  // Some trackers answer with the changed fields only.
  return madeOf({ id: about.issue, ...fieldsOf(body) }, "id", "permalink");
}

const resolve: ProviderAction = {
  name: "Resolve an error",
  input: Type.Object({ issue: Issue }, closed),
  keyed: true,
  perform: (ask, resource, input: About) => set(ask, resource, input, { status: "resolved" }),
};

const assign: ProviderAction = {
  name: "Assign an error",
  input: Type.Object({ issue: Issue, to: Type.String({ minLength: 1, maxLength: 200 }) }, closed),
  keyed: true,
  perform: (ask, resource, input: About & { to: string }) => set(ask, resource, input, { assignedTo: input.to }),
};

const said = (text: string, marker: string) => `${text}\n\n(${marker})`;
const comment: ProviderAction = {
  name: "Comment on an error",
  input: Type.Object({ issue: Issue, text: Type.String({ minLength: 1, maxLength: 20_000 }) }, closed),
  keyed: false,
  async perform(ask, resource, about: About & { text: string }, marker) {
    const path = `${await errorIn(ask, resource, about)}comments/`;
    const { body } = await ask("POST", path, { json: { text: said(about.text, marker) } });
    return madeOf(body, "id", "");
  },
  // Comments come newest first.
  async find(ask, resource, marker, about: About) {
    const { body } = await ask("GET", `${await errorIn(ask, resource, about)}comments/`);
    const rows: unknown[] = Array.isArray(body) ? body : [];
    const found = rows.find((row) => JSON.stringify(fieldsOf(fieldsOf(row).data).text ?? "").includes(marker));
    return found === undefined ? null : madeOf(found, "id", "");
  },
};

export const errtrackActions = { resolve, assign, comment };
const isId = (externalId: string) => /^[A-Za-z0-9_-]{1,100}$/.test(externalId);
export const errtrackTells: Tells = {
  comment: ({ kind, externalId }, text) =>
    kind === "error" && isId(externalId)
      ? { action: "comment", input: { issue: externalId, text: shortened(text) } }
      : null,
  resolve: ({ kind, externalId }) =>
    kind === "error" && isId(externalId) ? { action: "resolve", input: { issue: externalId } } : null,
};
