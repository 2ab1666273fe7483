// What can be done with an attachment, by whom, and how many there may be. Pure.
import type { Capability } from "@svc/contract/capabilities.ts";
import { pictureFile } from "@svc/contract/types.ts";
import type { WorkCapability } from "../projects/rules.ts";

/** Reservations of one person that are open at a time. */
export const MOST_OPEN = 50;
/** And with them what is completed and attached nowhere, or was cancelled or deleted while its URL still takes the file. */
export const MOST_LOOSE = 200;
/** Of a picture that a thumbnail is made of: it is decoded from memory. */
export const MOST_DECODED = 32 * 1024 * 1024;
export const URL_SECONDS = 5 * 60;
/** Lifetime of an address of a published file. */
export const PUBLIC_URL_SECONDS = 60;
/** A reservation: an upload that began in time may take long. */
export const UPLOAD_SECONDS = 60 * 60;
/** In which an upload begins. An S3 service lets in what comes to its URL, whatever became of the reservation. */
export const UPLOAD_URL_SECONDS = 15 * 60;

/** Types that are shown in place: those that the decoder reads. Nothing that a browser could run is among them. */
const PICTURES = new Set<string>(pictureFile.types);
export const isPicture = (contentType: string) => PICTURES.has(contentType);
/** Until its thumbnail is made, and then as that; one that is found to be undrawable is not shown any more. */
export const isShown = ({ content_type, undrawable }: Pick<Facts, "content_type" | "undrawable">) =>
  isPicture(content_type) && !undrawable;

export type AttachmentAction = Extract<Capability, `attachment:${string}`>;
export type ScanState = "pending" | "clean" | "infected" | "not_scanned" | "failed";
/** Fails closed: what waits for the scanner, or could not be scanned, is not given out. */
export const isGiven = (state: ScanState): state is "clean" | "not_scanned" =>
  state === "clean" || state === "not_scanned";
export interface Facts {
  scan_state: ScanState;
  content_type: string;
  /** It cannot be decoded, or not without harm to whoever does. */
  undrawable: boolean;
  attached: boolean;
  /** Uploaded by whoever asks. */
  own: boolean;
}

/** Whoever uploaded it takes it away while they may write there, and whoever manages the work. */
export const mayDelete = (work: readonly WorkCapability[], own: boolean) =>
  work.includes("work:manage") || (own && work.includes("work:write"));

/** As things stand. An infected file is attached to nothing. */
export function available(work: readonly WorkCapability[], facts: Facts): AttachmentAction[] {
  const { scan_state, attached, own } = facts;
  const actions: Record<AttachmentAction, boolean> = {
    "attachment:download": isGiven(scan_state),
    "attachment:preview": isGiven(scan_state) && isShown(facts),
    "attachment:attach": own && !attached && scan_state !== "infected" && work.includes("work:write"),
    "attachment:delete": mayDelete(work, own),
  };
  return (Object.keys(actions) as AttachmentAction[]).filter((action) => actions[action]);
}
