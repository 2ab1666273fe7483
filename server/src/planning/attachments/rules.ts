// Pure rules: actions on an attachment by caller and state, and limits.
import type { Capability } from "@svc/contract/capabilities.ts";
import { pictureFile } from "@svc/contract/types.ts";
import type { WorkCapability } from "../projects/rules.ts";

/** Maximum of open reservations per person. */
export const MOST_OPEN = 50;
/**
 * Maximum per person of open reservations, completed but unattached files, and deleted ones whose upload URL is still
 * valid.
 */
export const MOST_LOOSE = 200;
/** Maximum size of a picture that gets a thumbnail, because it is decoded in memory. */
export const MOST_DECODED = 32 * 1024 * 1024;
export const URL_SECONDS = 5 * 60;
/** Lifetime of the URL of a published file. */
export const PUBLIC_URL_SECONDS = 60;
/** Lifetime of a reservation: an upload that started in time may take long. */
export const UPLOAD_SECONDS = 60 * 60;
/**
 * Time within which an upload must start. An S3 service accepts uploads to a signed URL even after the reservation was
 * cancelled.
 */
export const UPLOAD_URL_SECONDS = 15 * 60;

/** Types shown inline: those that the decoder reads. None of them can run in a browser. */
const PICTURES = new Set<string>(pictureFile.types);
export const isPicture = (contentType: string) => PICTURES.has(contentType);
/** Whether the picture has a preview: the file itself until its thumbnail exists. An undrawable one has none. */
export const isShown = ({ content_type, undrawable }: Pick<AttachmentFacts, "content_type" | "undrawable">) =>
  isPicture(content_type) && !undrawable;

export type AttachmentAction = Extract<Capability, `attachment:${string}`>;
export type ScanState = "pending" | "clean" | "infected" | "not_scanned" | "failed";
/** Fails closed: a file that waits for the scanner or could not be scanned cannot be downloaded. */
export const isGiven = (state: ScanState): state is "clean" | "not_scanned" =>
  state === "clean" || state === "not_scanned";
export interface AttachmentFacts {
  scan_state: ScanState;
  content_type: string;
  /** It cannot be decoded, or not safely. */
  undrawable: boolean;
  attached: boolean;
  /** The caller uploaded it. */
  own: boolean;
}

/** The uploader may delete it while they may write work there, and so may anyone who manages the work. */
export const mayDelete = (work: readonly WorkCapability[], own: boolean) =>
  work.includes("work:manage") || (own && work.includes("work:write"));

/** Actions available in the current state. An infected file cannot be attached. */
export function available(work: readonly WorkCapability[], facts: AttachmentFacts): AttachmentAction[] {
  const { scan_state, attached, own } = facts;
  const actions: Record<AttachmentAction, boolean> = {
    "attachment:download": isGiven(scan_state),
    "attachment:preview": isGiven(scan_state) && isShown(facts),
    "attachment:attach": own && !attached && scan_state !== "infected" && work.includes("work:write"),
    "attachment:delete": mayDelete(work, own),
  };
  return (Object.keys(actions) as AttachmentAction[]).filter((action) => actions[action]);
}
