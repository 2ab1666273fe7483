// The icon of a Workspace: accepts one file and stores it as a square.

import { op, S } from "../../kit.ts";
import { Bytes, object, pictureFile } from "../../types.ts";
import { ProfilePicture } from "../account/profile-picture.ts";

export const WorkspaceIcon = object(ProfilePicture.properties);

export const replaceWorkspaceIcon = op("POST /workspaces/{workspace_id}/icon", "Set the icon of a Workspace", {
  description:
    "Needs workspace:manage. The body is the picture itself: JPEG, PNG, WebP or GIF, at most 5 MiB and 40 megapixels. It is kept as a profile picture is: the middle square in 512 by 512 pixels, and nothing else of the file.",
  auth: [S],
  raw: pictureFile,
  body: Bytes,
  returns: WorkspaceIcon,
  errors: ["invalid_picture", "storage_full"],
});

export const deleteWorkspaceIcon = op("DELETE /workspaces/{workspace_id}/icon", "Remove the icon of a Workspace", {
  description: "Needs workspace:manage. Repeating it answers 204 as well.",
  auth: [S],
});

export const getWorkspaceIconContent = op("GET /workspaces/{workspace_id}/icon/content", "See the icon", {
  description:
    "Of any Workspace you belong to. Leads to object storage, for five minutes. Fetch it there without your credential.",
  auth: [S],
  redirect: true,
});
