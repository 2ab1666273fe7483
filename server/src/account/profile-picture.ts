// One's own profile picture. Every picture is an object of its own. Before it is stored, a job is queued that will look in an hour whether
// it became the picture, and when it is replaced or removed another that deletes it: whatever crashes, no object is left behind.
import * as contract from "@svc/contract/account/profile-picture.ts";
import { newId } from "../kernel/ids.ts";
import { account, implement, implementWithEffects } from "../kernel/implement.ts";
import { PICTURE, pictureUrl, squarePicture } from "../kernel/picture.ts";
import { refuse } from "../kernel/problem.ts";
import { profilePictureRemoved, profilePictureReplaced } from "./events.ts";

const LOOK_LATER = `
select enqueue_job('discard_picture', json_build_object('user_id', $1::uuid, 'key', $2::text), now() + interval '1 hour')`;
// The one before is read from the locked row, so that of two at once the later one discards the earlier. Nothing changes, and no row
// comes back, where there was no picture and is to be none.
const REPLACE = `
update users u set picture_key = $2, updated_at = now(), revision = u.revision + 1
from (select id, picture_key from users where id = $1 for no key update) old
where u.id = old.id and (old.picture_key is not null or $2::text is not null)
returning (select enqueue_job('discard_picture', json_build_object('user_id', old.id, 'key', old.picture_key))
  where old.picture_key is not null)`;

export const replaceProfilePicture = implementWithEffects(
  contract.replaceProfilePicture,
  account(),
  async ({ principal, outside, transaction, finish }, { body }) => {
    const { userId, now } = principal ?? refuse("authentication_required");
    const picture = await squarePicture(body);
    const key = `pictures/${userId}/${newId()}`;
    await transaction(async ({ tx, defer }) => defer(tx.rows(LOOK_LATER, [userId, key])));
    await outside.storage.put(key, picture, PICTURE.type);
    return finish(async ({ tx, defer, record }) => {
      defer(tx.rows(REPLACE, [userId, key]));
      record(profilePictureReplaced({ kind: "account", id: userId }));
      const { type, width, height } = PICTURE;
      return { content_type: type, width, height, size: picture.length, updated_at: now };
    });
  },
);

export const deleteProfilePicture = implement(
  contract.deleteProfilePicture,
  account(),
  async ({ tx, principal, record }) => {
    const removed = await tx.maybe(REPLACE, [principal.userId, null]);
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
