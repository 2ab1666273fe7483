// Facts about attachments. They never carry a filename: what nobody but its uploader sees must not be told by them.
import { event } from "../../platform/kernel/events.ts";

export const uploadReserved = event("attachment.upload_reserved");
export const uploadCancelled = event("attachment.upload_cancelled");
export const uploadCompleted = event("attachment.uploaded");
export const attachmentAdded = event("attachment.attached");
export const attachmentDeleted = event("attachment.deleted");
