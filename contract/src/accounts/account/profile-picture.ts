// The caller's profile picture: accepts one file and stores it as a square.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { Bytes, object, pictureFile, Timestamp } from "../../types.ts";

export const ProfilePicture = object({
  content_type: Type.String({ examples: ["image/webp"] }),
  width: Type.Integer({ examples: [512] }),
  height: Type.Integer({ examples: [512] }),
  size: Type.Integer({ minimum: 1, description: "Size in bytes.", examples: [18342] }),
  updated_at: Timestamp,
});

export const replaceProfilePicture = op("POST /me/profile-picture", "Set your profile picture", {
  description:
    "The body is the image: JPEG, PNG, WebP or GIF, at most 5 MiB and 40 megapixels. " +
    "The service stores the middle square, upright, at 512 by 512 pixels. It keeps only the first frame of an " +
    "animation and removes the file's metadata (place, camera, names).",
  auth: [S, M],
  raw: pictureFile,
  body: Bytes,
  returns: ProfilePicture,
  errors: ["invalid_picture", "storage_full"],
});

export const deleteProfilePicture = op("DELETE /me/profile-picture", "Remove your profile picture", {
  description: "Removing it again also returns 204.",
  auth: [S, M],
});

export const getProfilePictureContent = op("GET /me/profile-picture/content", "See your profile picture", {
  description:
    "Redirects to object storage with a URL that is valid for five minutes. Fetch it without your credential.",
  auth: [S, M],
  redirect: true,
  errors: ["not_found"],
});
