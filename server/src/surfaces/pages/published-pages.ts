// Pages of published Documents and Projects, and the files of such a Document. They call the public operations with the
// caller's address, so that there is one visibility rule and one rate limit; nothing is cached, so that a withdrawn
// publication disappears at once.
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { findPublication, readFile } from "../../knowledge/documents/publication/store.ts";
import { framed, POLICY, pageOf } from "../../knowledge/documents/publication/view.ts";
import { objectKeys } from "../../planning/attachments/store.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import type { Database } from "../../platform/database/db.ts";
import type { Storage } from "../../platform/outside/external-systems.ts";
import { contentDisposition } from "../../platform/wire/content-disposition.ts";
import { correlationIdOf, HSTS } from "../../platform/wire/send-answer.ts";
import { languageOf, projectPage } from "./project-page.ts";

const NAME = /^[0-9A-Za-z]{22}$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const MISSING = {
  en: ["Nothing is here", "This page does not exist, or is not published any more."],
  de: ["Hier ist nichts", "Diese Seite gibt es nicht, oder sie ist nicht mehr veröffentlicht."],
} as const;

/** Headers in which proxies name the caller's address. */
const addressesIn = ({ headers }: FastifyRequest) =>
  Object.fromEntries(
    ["forwarded", "x-forwarded-for"].flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])),
  );

type Answer = Awaited<ReturnType<FastifyInstance["inject"]>>;
const isBusy = ({ statusCode }: Answer) => statusCode === 429 || statusCode >= 500;

interface FileParams {
  public_id: string;
  attachment_id: string;
}
interface Parts {
  secure: boolean;
  database: Database;
  storage: Storage;
}

export function servePublished(app: FastifyInstance, { secure, database, storage }: Parts): void {
  const common = (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({
      "cache-control": "no-store",
      "content-security-policy": POLICY,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-correlation-id": correlationIdOf(request.raw),
    });
    if (secure) reply.header(...HSTS);
  };
  const ask = (request: FastifyRequest, method: "GET" | "POST", path: string) =>
    app.inject({
      method,
      url: `/api/v1/public/${path}`,
      remoteAddress: request.socket.remoteAddress,
      headers: addressesIn(request),
    });
  const missing = ({ headers }: FastifyRequest, reply: FastifyReply) => {
    const language = languageOf(headers["accept-language"]);
    const [title, text] = MISSING[language];
    const page = framed(title, null, "", `<main><p>${text}</p></main>`, language);
    return reply.code(404).type("text/html; charset=utf-8").send(page);
  };
  const later = (reply: FastifyReply, { statusCode, headers }: Answer) => {
    if (headers["retry-after"] !== undefined) reply.header("retry-after", headers["retry-after"]);
    return reply.code(statusCode).type("text/plain; charset=utf-8").send("Try again in a moment.\n");
  };

  const page = (
    path: string,
    kind: "documents" | "projects",
    draw: (answer: never, accepted?: string) => string | Promise<string>,
  ) =>
    app.get(path, async (request, reply) => {
      const { public_id } = request.params as { public_id: string };
      common(request, reply);
      if (!NAME.test(public_id)) return missing(request, reply);
      const answer = await ask(request, "GET", `${kind}/${public_id}`);
      if (answer.statusCode === 404) return missing(request, reply);
      if (answer.statusCode !== 200) return later(reply, answer);
      return reply
        .type("text/html; charset=utf-8")
        .send(await draw(answer.json() as never, request.headers["accept-language"]));
    });
  page("/p/:public_id", "documents", pageOf);
  page("/p/projects/:public_id", "projects", projectPage);

  // Own HEAD handler: the framework's would read the whole object.
  app.route<{ Params: FileParams; Querystring: { save?: string } }>({
    method: ["GET", "HEAD"],
    url: "/p/:public_id/files/:attachment_id",
    async handler(request, reply) {
      const { public_id, attachment_id } = request.params;
      common(request, reply);
      if (!NAME.test(public_id) || !ID.test(attachment_id)) return missing(request, reply);
      // The operations decide who may read it, and count against the reader's limit.
      const path = `documents/${public_id}/attachments/${attachment_id}`;
      const asked = (kind: "preview" | "download") => ask(request, "POST", `${path}/${kind}`);
      const preview = request.query.save === undefined ? await asked("preview") : null;
      const isPreview = preview?.statusCode === 200;
      const answer = preview && (isPreview || isBusy(preview)) ? preview : await asked("download");
      if (isBusy(answer)) return later(reply, answer);
      const found = answer.statusCode === 200 ? await openFile(request.params, isPreview) : null;
      if (!found) return missing(request, reply);
      const { object, filename } = found;
      reply
        .headers({
          "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
          "content-disposition": contentDisposition(filename),
          "content-length": String(object.size),
        })
        .type(object.type);
      if (request.method === "HEAD") {
        await object.close();
        return reply.send();
      }
      const body = Readable.from(object.bytes);
      // A client that leaves before the first read leaves the object open.
      body.once("close", () => void object.close().catch(() => {}));
      return reply.send(body);
    },
  });

  /** Streams the object through this process, so that the address of the storage is never exposed. */
  async function openFile({ public_id, attachment_id }: FileParams, isPreview: boolean) {
    const published = await database.reader.use((tx) => findPublication(tx, public_id));
    if (!published) return null;
    const { workspace_id, id } = published;
    const file = await inWorkspace(database.reader, workspace_id, (tx) => readFile(tx, id, public_id, attachment_id));
    if (!file) return null;
    const keys = objectKeys(workspace_id, file.id);
    const object = await storage.open(isPreview && file.has_thumbnail ? keys.thumbnail : keys.file);
    return object ? { object, filename: isPreview ? undefined : file.filename } : null;
  }
}
