// The icon of a Workspace: accepts one file and stores it as a square.

import { op, S } from "../../kit.ts";
import { Bytes, object, pictureFile } from "../../types.ts";
import { ProfilePicture } from "../account/profile-picture.ts";

export const WorkspaceIcon = object(ProfilePicture.properties);

export const replaceWorkspaceIcon = op("POST /workspaces/{workspace_id}/icon", "Set the icon of a Workspace", {
  description:
    "Needs workspace:manage. The body is the image: JPEG, PNG, WebP or GIF, at most 5 MiB and 40 megapixels. " +
    "The service stores only the middle square at 512 by 512 pixels, as for a profile picture.",
  auth: [S],
  raw: pictureFile,
  body: Bytes,
  returns: WorkspaceIcon,
  errors: ["invalid_picture", "storage_full"],
});

export const deleteWorkspaceIcon = op("DELETE /workspaces/{workspace_id}/icon", "Remove the icon of a Workspace", {
  description: "Needs workspace:manage. Removing it again also returns 204.",
  auth: [S],
});

export const getWorkspaceIconContent = op(
  "GET /workspaces/{workspace_id}/icon/content",
  "Read the icon of a Workspace",
  {
    description:
      "Returns the icon of any Workspace you belong to: redirects to object storage with a URL that is valid for " +
      "five minutes. Fetch it without your credential.",
    auth: [S],
    redirect: true,
  },
);
