// Profiles and pictures of a Workspace's people. A picture is addressed by its person, never by its key.
import * as contract from "@svc/contract/accounts/workspaces/people.ts";
import { implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { pictureUrl } from "../../platform/outside/picture.ts";
import { workspace } from "./access.ts";
import { peopleOfWorkspace, person } from "./people-access.ts";
import { memberCapabilities } from "./rules.ts";

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
