// Files that tests upload as a client would: reserved, sent to storage with the headers that the reservation names,
// completed.
import { createHash } from "node:crypto";
import { newId } from "../src/platform/wire/ids.ts";
import type { Answer } from "./answer.ts";
import { send } from "./storages.ts";
import { newKey, type Person } from "./world.ts";

export const sha256Of = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

interface Announced {
  filename?: string;
  content_type?: string;
  size?: number;
  sha256?: string;
}
type Caller = Pick<Person, "call">;

export const announced = (bytes: Buffer, own: Announced = {}) => ({
  filename: "notes.txt",
  content_type: "text/plain",
  size: bytes.length,
  sha256: sha256Of(bytes),
  ...own,
});
/** Where a private file of this Workspace is uploaded. */
export const privateUploads = (workspaceId: string) => `/workspaces/${workspaceId}/discuss/uploads`;
const UPLOADS = "/attachment-uploads";
export const reserve = (person: Caller, bytes: Buffer, own: Announced = {}, uploads = UPLOADS): Promise<Answer> =>
  person.call("POST", uploads, { body: announced(bytes, own), key: newKey() });

export interface Target {
  url: string;
  headers: Record<string, string>;
}
/** To storage, without any credential. */
export const sendFile = ({ url, headers }: Target, bytes: Buffer, own: Record<string, string> = {}) =>
  send(
    url.replace("localhost", "127.0.0.1"),
    "PUT",
    { ...headers, "content-length": String(bytes.length), ...own },
    bytes,
  );
export const complete = (person: Caller, id: string, key?: string, uploads = UPLOADS) =>
  person.call("POST", `${uploads}/${id}/complete`, { key });

/** Reserved and sent, not yet completed. */
export async function sentUpload(person: Caller, bytes: Buffer, own: Announced = {}, uploads = UPLOADS) {
  const { status, body, text } = await reserve(person, bytes, own, uploads);
  if (status !== 201) throw new Error(`the reservation was answered ${status} ${text}`);
  const sent = await sendFile(body.upload, bytes);
  if (sent.status !== 200) throw new Error(`the upload was answered ${sent.status} ${sent.body}`);
  return body;
}
export async function newAttachment(
  person: Caller,
  bytes: Buffer = Buffer.from(`A file, ${newId()}.`),
  own: Announced = {},
  uploads = UPLOADS,
) {
  const { id } = await sentUpload(person, bytes, own, uploads);
  const { status, body, text } = await complete(person, id, undefined, uploads);
  if (status !== 201) throw new Error(`the completion was answered ${status} ${text}`);
  return body;
}
/** At a Task or a Project, by its path. */
export const attach = (person: Caller, place: string, attachment_id: string) =>
  person.call("POST", `${place}/attachments`, { body: { attachment_id }, key: newKey() });
export async function newAttached(person: Caller, place: string, bytes?: Buffer, own: Announced = {}) {
  const { id } = await newAttachment(person, bytes, own);
  const { status, body, text } = await attach(person, place, id);
  if (status !== 201) throw new Error(`attaching was answered ${status} ${text}`);
  return body;
}
