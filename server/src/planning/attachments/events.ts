// Events of attachments. They never contain a filename, because an unattached file is visible only to its uploader.
import { event } from "../../platform/kernel/events.ts";

export const uploadReserved = event("attachment.upload_reserved");
export const uploadCancelled = event("attachment.upload_cancelled");
export const uploadCompleted = event("attachment.uploaded");
export const attachmentAdded = event("attachment.attached");
export const attachmentDeleted = event("attachment.deleted");
