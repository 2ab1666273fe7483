// Mail delivery. With SMTP_URL it goes to that server; without, to an outbox that a browser on this machine reads at
// /dev/mail. A mail that the response does not wait for is a job of the commit that posted it: it is sent after the
// commit, and the outbox records that, so that a job that runs again sends nothing. One statement lies between the mail
// server's acceptance and that record; a crash exactly there repeats the mail under the same Message-ID.
import type { TaskList } from "graphile-worker";
import type { Transporter } from "nodemailer";
import type { Database } from "../database/db.ts";
import type { Config } from "../settings/config.ts";
import { Refusal } from "../wire/problem.ts";
import type { SecretBox } from "../wire/secret-box.ts";
import type { Letter, Mail } from "./external-systems.ts";

/** Their sum stays below the time limit of a request. */
export const TIMEOUTS = { connectionTimeout: 3000, greetingTimeout: 3000, socketTimeout: 5000, dnsTimeout: 3000 };
const RETRY_SECONDS = 30;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const KEEP = "insert into mail_outbox (id, sealed) values ($1, $2) on conflict (id) do nothing";
const KNOWN = "select from mail_outbox where id = $1";

type Post = (letter: Letter, id: string) => Promise<void>;

/** `send` waits for acceptance; `jobs` deliver posted mail. */
export function openMail(
  config: Config,
  database: Database,
  secrets: SecretBox,
  timeouts = TIMEOUTS,
): Mail & { jobs: TaskList; close(): void } {
  const smtp = config.smtpUrl === null ? null : mailServer(config.smtpUrl, config.mailFrom, timeouts);
  const note = (id: string, sealed: string | null) => database.writer.use((tx) => tx.rows(KEEP, [id, sealed]));
  const known = (id: string) => database.reader.use(async (tx) => (await tx.rows(KNOWN, [id])).length > 0);
  const deliver: Post = async (letter, id) => {
    if (smtp) await smtp.post(letter, id);
    await note(id, smtp ? null : secrets.seal(JSON.stringify(letter), id));
  };
  return {
    async send(letter, id) {
      try {
        await deliver(letter, id);
      } catch (error) {
        throw new Refusal("delivery_unavailable", { retry_after: RETRY_SECONDS }, false, error);
      }
    },
    jobs: {
      async send_mail(payload, { logger }) {
        const { id, sealed } = payload as { id: string; sealed: string };
        if (await known(id)) return;
        const letter = secrets.open(sealed, id);
        if (letter === null) return;
        try {
          await deliver(JSON.parse(letter), id);
        } catch (error) {
          if (!isFinal(error)) throw error;
          // The recipient does not exist, so a retry would change nothing.
          logger.warn(`letter ${id} was refused for good`);
          await note(id, null);
        }
      },
    },
    close: () => smtp?.close(),
  };
}

/** Whether the mail server refused this mail permanently. */
export const isFinal = (error: unknown) => {
  const { responseCode = 0, command = "" } = (error ?? {}) as { responseCode?: number; command?: string };
  return responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
};

/** Loads the library with the first mail. Mail is never sent unencrypted to another machine. */
function mailServer(address: string, from: string, timeouts: typeof TIMEOUTS): { post: Post; close(): void } {
  const url = new URL(address);
  let opened: Promise<Transporter> | undefined;
  const open = async () => {
    const { createTransport } = await import("nodemailer");
    return createTransport({
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port || (url.protocol === "smtps:" ? 465 : 587)),
      secure: url.protocol === "smtps:",
      requireTLS: !LOOPBACK.test(url.hostname) && url.searchParams.get("insecure") !== "1",
      ...(url.username
        ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
        : {}),
      pool: true,
      maxConnections: 2,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...timeouts,
    } as never) as Transporter;
  };
  const domain = /@([^\s>]+)>?$/.exec(from)?.[1] ?? "localhost";
  return {
    async post({ to, subject, text, html, unsubscribe }, id) {
      opened ??= open();
      const sending = (await opened).sendMail({
        from,
        // nodemailer never parses an address object as a list of several.
        to: { name: "", address: to },
        subject,
        text,
        html,
        messageId: `<${id}@${domain}>`,
        headers: {
          "Auto-Submitted": "auto-generated",
          ...(unsubscribe ? { "List-Unsubscribe": `<${unsubscribe}>` } : {}),
        },
      });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error("the mail server did not answer in time")), 8000);
      });
      await Promise.race([sending, late]).finally(() => clearTimeout(timer));
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

/** Reads the newest mails of an outbox without a mail server. */
export const outboxLetters = (database: Database, secrets: SecretBox) =>
  database.reader.use(async (tx) => {
    const rows = await tx.rows<{ id: string; sealed: string; created_at: Date }>(
      `select id, sealed, created_at from mail_outbox where sealed is not null order by created_at desc, id desc
        limit 100`,
    );
    return rows.flatMap(({ id, sealed, created_at }) => {
      const letter = secrets.open(sealed, id);
      return letter === null ? [] : [{ id, at: created_at, letter: JSON.parse(letter) as Letter }];
    });
  });
