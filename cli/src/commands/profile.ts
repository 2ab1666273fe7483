// Lists and selects profiles, and the Workspace of a profile's credential.
import type { Run } from "../command.ts";
import { currentProfile, makeDirs, profileNames, readPlace, useProfile } from "../credentials/profiles.ts";
import { changing, clientAt, type Issued, openSession, type Session, tokensOf } from "../credentials/session.ts";
import { EXIT, Failure } from "../failure.ts";
import { fields, table } from "../output/table.ts";

export const status: Run = async (input) => {
  const session = openSession(input);
  const { client, url, profile, scope } = session;
  const here =
    profile === undefined
      ? await client.getTokenWorkspace().then(({ workspace_id: id, ...more }) => ({ id, ...more }))
      : await client.getDeveloperWorkspace();
  const data = {
    url,
    profile: profile ?? null,
    credential: profile === undefined ? "SVC_TOKEN" : "profile",
    scope: profile === undefined ? null : scope,
    workspace: { id: here.id, slug: here.slug, name: here.name, role: here.role },
  };
  return {
    data,
    text: (screen) =>
      fields(
        [
          ["Service", url],
          ["Profile", profile ?? "none: SVC_TOKEN"],
          ["Workspace", `${here.name} (${here.slug})`],
          ["Role", here.role],
          ["Scopes", data.scope],
        ],
        screen,
      ),
  };
};

export const profiles: Run = async ({ env }) => {
  const current = currentProfile(env);
  const items = profileNames(env).flatMap((name) => {
    const place = readPlace(env, name);
    return place ? [{ name, current: name === current, url: place.url, workspace: place.workspace.name }] : [];
  });
  return {
    data: { items, has_more: false },
    text: (screen) =>
      items.length === 0 && screen.columns !== null
        ? "There is no profile. Make one: svc login ADDRESS"
        : table(
            items,
            [
              { title: "", of: (item) => (item.current ? "*" : "") },
              { title: "name", of: (item) => item.name, colour: "cyan" },
              { title: "address", of: (item) => item.url, shrinks: true },
              { title: "workspace", of: (item) => item.workspace, shrinks: true },
            ],
            screen,
          ),
  };
};

export const use: Run = async (input) => {
  const name = input.needed("name");
  const place = readPlace(input.env, name);
  if (!place) throw new Failure(EXIT.notFound, `There is no profile ${name}.`, "See which there are: svc profile list");
  makeDirs(input.env);
  useProfile(input.env, name);
  return {
    data: { profile: name, ...place, tokens: undefined },
    text: () => `Now at ${place.url}, in ${place.workspace.name}.`,
  };
};

function ownCredential({ profile }: Session): string {
  if (profile !== undefined) return profile;
  throw new Failure(EXIT.usage, "SVC_TOKEN is for one Workspace.", "To go to others, unset it and sign in: svc login");
}

const listed = async (session: Session) => {
  const items: { id: string; slug: string; name: string; role: string; current: boolean }[] = [];
  const here = await session.workspaceId();
  for await (const { id, slug, name, role } of session.client.listDeveloperWorkspaces({ limit: 100 }))
    items.push({ id, slug, name, role, current: id === here });
  return items;
};

export const workspaces: Run = async (input) => {
  const session = openSession(input);
  ownCredential(session);
  const items = await listed(session);
  return {
    data: { items, has_more: false },
    text: (screen) =>
      table(
        items,
        [
          { title: "", of: (item) => (item.current ? "*" : "") },
          { title: "slug", of: (item) => item.slug, colour: "cyan", shrinks: true },
          { title: "name", of: (item) => item.name, shrinks: true },
          { title: "role", of: (item) => item.role },
        ],
        screen,
      ),
  };
};

/**
 * Switches the Workspace of the credential itself: the service revokes the previous tokens, so that no other process
 * may use them meanwhile.
 */
export const switchWorkspace: Run = async (input) => {
  const session = openSession(input);
  const profile = ownCredential(session);
  const asked = input.needed("workspace");
  const found = (await listed(session)).find(
    ({ id, slug, name }) => id === asked || slug === asked.toLowerCase() || name === asked,
  );
  if (!found)
    throw new Failure(EXIT.notFound, `You are in no Workspace ${asked}.`, "See which there are: svc workspace list");
  const { id, slug, name } = found;
  await changing(input, profile, async (now) => {
    if (now.workspace.id === id) return now;
    const moved = await clientAt(now.url, now.tokens.access_token).replaceDeveloperWorkspace({ workspace_id: id });
    return { ...now, workspace: { id, slug, name }, tokens: tokensOf(moved as Issued) };
  });
  return { data: { profile, workspace: { id, slug, name } }, text: () => `Now in the Workspace ${name}.` };
};
