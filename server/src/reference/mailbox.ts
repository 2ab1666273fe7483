// The mail of a machine without a mail server, readable at /dev/mail: the letters that people would have got. Answers only to a
// browser on the same machine that asked for it by a loopback name, because a letter may hold a link that lets its reader in.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "../kernel/db.ts";
import { answerRefusal } from "../kernel/http.ts";
import { outboxLetters } from "../kernel/mail.ts";
import { Refusal } from "../kernel/problem.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import { mailPage, pagePolicy } from "./pages.ts";

const FROM_HERE = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** A page of another site that lets its own name lead to this machine sends that name. */
const NAMED_HERE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
const isHere = ({ raw }: FastifyRequest) =>
  FROM_HERE.test(raw.socket.remoteAddress ?? "") &&
  NAMED_HERE.test(raw.headers.host ?? "") &&
  raw.headers["x-forwarded-for"] === undefined &&
  raw.headers.forwarded === undefined;

export function serveMailbox(app: FastifyInstance, database: Database, secrets: SecretBox) {
  const get = (url: string, answer: (request: FastifyRequest, reply: FastifyReply) => Promise<string | undefined>) =>
    app.get(url, async (request, reply) => {
      const found = isHere(request) ? await answer(request, reply) : undefined;
      if (found !== undefined)
        return reply
          .headers({
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
          })
          .type("text/html; charset=utf-8")
          .send(found);
      reply.hijack();
      answerRefusal({ secure: false }, request.raw, reply.raw, new Refusal("not_found"));
    });
  get("/dev/mail", async (_request, reply) => {
    reply.header("content-security-policy", `${pagePolicy}; frame-src 'self'`);
    return mailPage(await outboxLetters(database, secrets));
  });
  get("/dev/mail/:id", async (request, reply) => {
    const { id } = request.params as { id: string };
    const found = (await outboxLetters(database, secrets)).find((one) => one.id === id);
    // A letter is shown as a mail program would: no script, no form, nothing from elsewhere; its links open in a tab of their own.
    reply.header(
      "content-security-policy",
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
    );
    return found?.letter.html.replace("<head>", '<head><base target="_blank">');
  });
}
