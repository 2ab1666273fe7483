// The people of a Workspace: their profile and their picture. A picture is reached through its person, never by its key.
import * as contract from "@svc/contract/people/people.ts";
import { implement, implementWithEffects } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { pictureUrl } from "../outside/picture.ts";
import { workspace } from "../workspaces/access.ts";
import { memberCapabilities } from "../workspaces/rules.ts";
import { peopleOfWorkspace, person } from "./access.ts";

export const getPerson = implement(contract.getPerson, person(), async ({ member }, { target }) =>
  render(target, memberCapabilities(member.role, target)),
);

const PICTURE = `select u.picture_key from ${peopleOfWorkspace} where u.id = $1`;

export const getPersonPictureContent = implementWithEffects(
  contract.getPersonPictureContent,
  workspace("workspace:read"),
  async ({ read, outside }, { params }) => {
    const found = await read((tx) => tx.maybe<{ picture_key: string | null }>(PICTURE, [params.user_id]));
    return { location: await pictureUrl(outside.storage, found?.picture_key) };
  },
);
