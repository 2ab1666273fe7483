// Profile picture of the signed-in account.
import * as contract from "@svc/contract/accounts/account/profile-picture.ts";
import { account, implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { pictureUrl } from "../../platform/outside/picture.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { profilePictureRemoved, profilePictureReplaced } from "./events.ts";
import { profilePictures } from "./store.ts";

export const replaceProfilePicture = implementWithEffects(
  contract.replaceProfilePicture,
  account(),
  async (context, { body }) => {
    const { userId } = context.principal ?? refuse("authentication_required");
    const { key, stored } = await profilePictures.store(context, userId, body);
    return context.finish(async ({ tx, defer, record }) => {
      defer(profilePictures.replace(tx, userId, key));
      record(profilePictureReplaced({ kind: "account", id: userId }));
      return stored;
    });
  },
);

export const deleteProfilePicture = implement(
  contract.deleteProfilePicture,
  account(),
  async ({ tx, principal, record }) => {
    const removed = await profilePictures.replace(tx, principal.userId, null);
    if (removed) record(profilePictureRemoved({ kind: "account", id: principal.userId }));
  },
);

const FIND = "select picture_key from users where id = $1";

export const getProfilePictureContent = implementWithEffects(
  contract.getProfilePictureContent,
  account(),
  async ({ principal, read, outside }) => {
    const found = await read((tx) => tx.maybe<{ picture_key: string | null }>(FIND, [principal?.userId]));
    return { location: await pictureUrl(outside.storage, found?.picture_key) };
  },
);
