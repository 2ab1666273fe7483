// Reads a request's body: bounded in size, before anything touches the database, so that a slow upload holds no transaction.
import type { IncomingMessage } from "node:http";
import { refuse } from "./problem.ts";

/** 262,144 characters of Markdown, each escaped as \uXXXX, and room for the rest. */
export const BODY_LIMIT = 2 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_LIMIT) refuse("payload_too_large");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) refuse("payload_too_large");
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
