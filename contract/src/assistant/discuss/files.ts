// Files in a member's private stream. Nobody else sees them; their bytes come from storage through URLs that live for
// five minutes.

import { op } from "../../kit.ts";
import { AttachmentUrl, fileFields } from "../../planning/attachments/attachments.ts";
import { object, resource, single } from "../../types.ts";
import { reading, writing } from "./private.ts";

/** Bytes of one file, and of all files of one turn together. */
export const MOST_FILE_BYTES = 20 * 1024 * 1024;

export const PrivateFileRow = object({ ...resource, ...fileFields });
export const PrivateFile = single(PrivateFileRow);

export const getDiscussFile = op(
  "GET /workspaces/{workspace_id}/discuss/files/{file_id}",
  "Read a private file's metadata",
  { ...reading, returns: PrivateFile },
);
export const deleteDiscussFile = op(
  "DELETE /workspaces/{workspace_id}/discuss/files/{file_id}",
  "Delete a private file",
  { ...writing, ifMatch: "optional" },
);

const giving = {
  ...reading,
  secret: true,
  returns: AttachmentUrl,
  quiet: "Nothing changes; the audit log records the request.",
} as const;
export const downloadDiscussFile = op(
  "POST /workspaces/{workspace_id}/discuss/files/{file_id}/download",
  "Get a URL to save the private file from",
  {
    ...giving,
    description: "Returns a URL that is valid for five minutes. Fetch it without your credential.",
    errors: ["file_not_clean"],
  },
);
export const previewDiscussFile = op(
  "POST /workspaces/{workspace_id}/discuss/files/{file_id}/preview",
  "Get a URL to show the private file from",
  {
    ...giving,
    description:
      "Returns a URL of a WebP of at most 512 by 512 pixels for a JPEG, PNG, WebP or GIF, or of the " +
      "original until the preview exists. Other types, and pictures that cannot be scaled, are refused. " +
      "The URL is valid for five minutes. Fetch it without your credential.",
    errors: ["file_not_clean", "preview_unavailable"],
  },
);
