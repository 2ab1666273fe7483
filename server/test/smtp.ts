// A real mail server on loopback: keeps what it accepts, parsed, and can be told to refuse or to be slow.
import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";

export interface MailServer {
  url: string;
  accepted: ParsedMail[];
  /** Recipients are answered with this code instead of 250; null: accepted. */
  refuseWith: number | null;
  /** Before a message is accepted. */
  delayMs: number;
  /** Called for each recipient, before it is answered. */
  atRecipient: () => Promise<void>;
  stop(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    logger: false,
    onRcptTo(_address, _session, done) {
      const { refuseWith } = running;
      const answer = refuseWith === null ? null : Object.assign(new Error("refused"), { responseCode: refuseWith });
      running.atRecipient().then(() => done(answer));
    },
    onData(stream, _session, done) {
      simpleParser(stream).then((mail) =>
        setTimeout(() => {
          running.accepted.push(mail);
          done();
        }, running.delayMs),
      );
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  const running: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    accepted: [],
    refuseWith: null,
    delayMs: 0,
    atRecipient: async () => {},
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return running;
}
