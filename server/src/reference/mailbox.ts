// The mail of a service without a mail server, readable at /dev/mail: the letters that people would have got. A letter may hold a link that
// lets its reader in. So it is shown to a browser on the same machine that asked for it by a loopback name and came through no proxy, or, where
// the service is published, to whoever brings the operator's secret; never to a role in a Workspace, which everybody can have.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "../database/db.ts";
import { outboxLetters } from "../outside/mail.ts";
import { keptFile } from "../settings/kept-file.ts";
import { sha256 } from "../wire/ids.ts";
import { Refusal } from "../wire/problem.ts";
import type { SecretBox } from "../wire/secret-box.ts";
import { answerRefusal } from "../wire/send.ts";
import { mailPage, pagePolicy } from "./pages.ts";

const FROM_HERE = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** A page of another site that lets its own name lead to this machine sends that name. */
const NAMED_HERE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
/** What proxies add, and browsers do not; some proxies speak HTTP/1.0 and add nothing. */
const BY_A_PROXY = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];
const isHere = ({ raw }: FastifyRequest) =>
  FROM_HERE.test(raw.socket.remoteAddress ?? "") &&
  NAMED_HERE.test(raw.headers.host ?? "") &&
  raw.httpVersion !== "1.0" &&
  BY_A_PROXY.every((name) => raw.headers[name] === undefined);

export const operatorSecretFile = (dataDir: string) => join(dataDir, "operator-secret");
const operatorSecret = (dataDir: string) =>
  keptFile(operatorSecretFile(dataDir), () => `${randomBytes(24).toString("base64url")}\n`).trim();
/** As the password of any name. */
function bringsSecret({ raw }: FastifyRequest, secret: string): boolean {
  const [, encoded = ""] = /^Basic ([\w+/]+=*)$/i.exec(raw.headers.authorization ?? "") ?? [];
  const password = Buffer.from(encoded, "base64")
    .toString()
    .replace(/^[^:]*:/, "");
  return timingSafeEqual(sha256(password), sha256(secret));
}

export interface Mailbox {
  database: Database;
  secrets: SecretBox;
  dataDir: string;
  /** See outboxFor. */
  readBy: "here" | "operator";
  secure: boolean;
}

export function serveMailbox(app: FastifyInstance, { database, secrets, dataDir, readBy, secure }: Mailbox) {
  const secret = readBy === "operator" ? operatorSecret(dataDir) : null;
  const mayRead = (request: FastifyRequest) => (secret === null ? isHere(request) : bringsSecret(request, secret));
  const challenge: Record<string, string> =
    secret === null ? {} : { "www-authenticate": 'Basic realm="svc outbox", charset="UTF-8"' };
  const get = (url: string, answer: (request: FastifyRequest, reply: FastifyReply) => Promise<string | undefined>) =>
    app.get(url, async (request, reply) => {
      const may = mayRead(request);
      const found = may ? await answer(request, reply) : undefined;
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
      const refusal = new Refusal(may || secret === null ? "not_found" : "operator_secret_required");
      answerRefusal({ secure }, request.raw, reply.raw, refusal, may ? {} : challenge);
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
