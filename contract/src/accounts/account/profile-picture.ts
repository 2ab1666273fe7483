// The caller's profile picture: accepts one file and stores it as a square.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { Bytes, object, pictureFile, Timestamp } from "../../types.ts";

export const ProfilePicture = object({
  content_type: Type.String({ examples: ["image/webp"] }),
  width: Type.Integer({ examples: [512] }),
  height: Type.Integer({ examples: [512] }),
  size: Type.Integer({ minimum: 1, description: "In bytes.", examples: [18342] }),
  updated_at: Timestamp,
});

export const replaceProfilePicture = op("POST /me/profile-picture", "Set your profile picture", {
  description:
    "The body is the picture itself: JPEG, PNG, WebP or GIF, at most 5 MiB and 40 megapixels. The middle square is kept, upright, in 512 by 512 pixels; an animation becomes its first frame, and what the file says beside the picture (place, camera, names) is thrown away.",
  auth: [S, M],
  raw: pictureFile,
  body: Bytes,
  returns: ProfilePicture,
  errors: ["invalid_picture", "storage_full"],
});

export const deleteProfilePicture = op("DELETE /me/profile-picture", "Remove your profile picture", {
  description: "Repeating it answers 204 as well.",
  auth: [S, M],
});

export const getProfilePictureContent = op("GET /me/profile-picture/content", "See your profile picture", {
  description: "Leads to object storage, for five minutes. Fetch it there without your credential.",
  auth: [S, M],
  redirect: true,
  errors: ["not_found"],
});
