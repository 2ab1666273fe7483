// Outbox of a service without a mail server, at /dev/mail: the letters that people would have received. A letter may
// contain a link that signs its reader in. So the outbox needs a key: on a loopback PUBLIC_URL the one in the address
// that the start prints, otherwise the operator's secret. The peer's address proves nothing: a local proxy or tunnel
// may forward strangers without any header.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "../../platform/database/db.ts";
import { outboxLetters } from "../../platform/outside/mail.ts";
import type { Config } from "../../platform/settings/config.ts";
import { keptFile } from "../../platform/settings/kept-file.ts";
import { readCookies } from "../../platform/wire/cookies.ts";
import { sha256 } from "../../platform/wire/ids.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import type { SecretBox } from "../../platform/wire/secret-box.ts";
import { answerRefusal } from "../../platform/wire/send-answer.ts";
import { mailPage, pagePolicy } from "./pages.ts";

const FROM_HERE = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** A page of another site that resolves its own name to this machine sends its own name as Host. */
const NAMED_HERE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
/** Headers that proxies add and browsers do not; some proxies use HTTP/1.0 and add none. */
const BY_A_PROXY = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];
/** Decides only whether the answer without a key admits that the mailbox exists. */
const seemsLocal = ({ raw }: FastifyRequest) =>
  FROM_HERE.test(raw.socket.remoteAddress ?? "") &&
  NAMED_HERE.test(raw.headers.host ?? "") &&
  raw.httpVersion !== "1.0" &&
  BY_A_PROXY.every((name) => raw.headers[name] === undefined);

export const operatorSecretFile = (dataDir: string) => join(dataDir, "operator-secret");
const operatorSecret = (dataDir: string) =>
  keptFile(operatorSecretFile(dataDir), () => `${randomBytes(24).toString("base64url")}\n`).trim();

/** The key in the printed address. It is derived, so that it survives a restart and needs no file. */
export const outboxKey = ({ secretKeys }: Pick<Config, "secretKeys">) =>
  createHmac("sha256", (secretKeys[0] as { key: Buffer }).key)
    .update("svc outbox")
    .digest("base64url")
    .slice(0, 32);

const COOKIE = "svc_outbox";
const sameSecret = (given: string, secret: string) => timingSafeEqual(sha256(given), sha256(secret));
/** The key as the password of any name. */
function basicPassword({ raw }: FastifyRequest): string {
  const [, encoded = ""] = /^Basic ([\w+/]+=*)$/i.exec(raw.headers.authorization ?? "") ?? [];
  return Buffer.from(encoded, "base64")
    .toString()
    .replace(/^[^:]*:/, "");
}
const bringsSecret = (request: FastifyRequest, secret: string) =>
  sameSecret(basicPassword(request), secret) ||
  readCookies(request.raw, COOKIE).some((value) => sameSecret(value, secret));

export interface Mailbox {
  database: Database;
  secrets: SecretBox;
  config: Pick<Config, "dataDir" | "secretKeys">;
  /** See outboxFor. */
  readBy: "here" | "operator";
  secure: boolean;
}

const CHALLENGE = { "www-authenticate": 'Basic realm="svc outbox", charset="UTF-8"' };

export function serveMailbox(app: FastifyInstance, { database, secrets, config, readBy, secure }: Mailbox) {
  const secret = readBy === "operator" ? operatorSecret(config.dataDir) : outboxKey(config);
  const get = (url: string, answer: (request: FastifyRequest, reply: FastifyReply) => Promise<string | undefined>) =>
    app.get<{ Querystring: { key?: string } }>(url, async (request, reply) => {
      // The printed address: a cookie replaces the key, which then stays out of the history and of referrers.
      const { key } = request.query;
      if (readBy === "here" && typeof key === "string" && sameSecret(key, secret)) {
        reply.header("set-cookie", `${COOKIE}=${secret}; Path=/dev/mail; HttpOnly; SameSite=Lax`);
        return reply.header("cache-control", "no-store").redirect("/dev/mail", 303);
      }
      const may = bringsSecret(request, secret);
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
      const isMissing = may || (readBy === "here" && !seemsLocal(request));
      const refusal = new Refusal(isMissing ? "not_found" : "operator_secret_required");
      answerRefusal({ secure }, request.raw, reply.raw, refusal, isMissing ? {} : CHALLENGE);
    });
  get("/dev/mail", async (_request, reply) => {
    reply.header("content-security-policy", `${pagePolicy}; frame-src 'self'`);
    return mailPage(await outboxLetters(database, secrets));
  });
  get("/dev/mail/:id", async (request, reply) => {
    const { id } = request.params as { id: string };
    const found = (await outboxLetters(database, secrets)).find((one) => one.id === id);
    // Shows a letter like a mail program: no script, no form, no remote content; its links open in a new tab.
    reply.header(
      "content-security-policy",
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; " +
        "sandbox allow-popups allow-popups-to-escape-sandbox",
    );
    return found?.letter.html.replace("<head>", '<head><base target="_blank">');
  });
}
