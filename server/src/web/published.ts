// The pages of published Documents and Projects, and the way to the files in a Document. All ask the operations that anybody may call, with the caller's address, so that there
// is one rule of what is shown and one limit; nothing is kept, so that what is taken back is gone at once.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { framed, POLICY, pageOf } from "../documents/publication/view.ts";
import { correlationIdOf, HSTS } from "../wire/send.ts";
import { languageOf, projectPage } from "./project-page.ts";

const NAME = /^[0-9A-Za-z]{22}$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const MISSING = {
  en: ["Nothing is here", "This page does not exist, or is not published any more."],
  de: ["Hier ist nichts", "Diese Seite gibt es nicht, oder sie ist nicht mehr veröffentlicht."],
} as const;

/** What proxies say of where it came from. */
const addressesIn = ({ headers }: FastifyRequest) =>
  Object.fromEntries(
    ["forwarded", "x-forwarded-for"].flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])),
  );

export function servePublished(app: FastifyInstance, { secure }: { secure: boolean }): void {
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
      if (answer.statusCode !== 200)
        return reply.code(answer.statusCode).type("text/plain; charset=utf-8").send("Try again in a moment.\n");
      return reply
        .type("text/html; charset=utf-8")
        .send(await draw(answer.json() as never, request.headers["accept-language"]));
    });
  page("/p/:public_id", "documents", pageOf);
  page("/p/projects/:public_id", "projects", projectPage);

  app.get("/p/:public_id/files/:attachment_id", async (request, reply) => {
    const { public_id, attachment_id } = request.params as Record<"public_id" | "attachment_id", string>;
    common(request, reply);
    if (!NAME.test(public_id) || !ID.test(attachment_id)) return missing(request, reply);
    const path = `documents/${public_id}/attachments/${attachment_id}`;
    const preview = await ask(request, "POST", `${path}/preview`);
    const answer = preview.statusCode === 200 ? preview : await ask(request, "POST", `${path}/download`);
    return answer.statusCode === 200 ? reply.redirect(answer.json().url, 302) : missing(request, reply);
  });
}
