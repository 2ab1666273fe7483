// An SMTP server on loopback that accepts every message and records its Message-ID; it implements only what the
// service's client needs. The test kit's mail server needs development packages, which a storm does not have.
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface MailSink {
  url: string;
  /** The Message-ID of every accepted message. */
  messageIds: string[];
  stop(): Promise<void>;
}

const MESSAGE_ID = /^message-id: *<([^@>]+)@/im;

export async function startMailSink(): Promise<MailSink> {
  const messageIds: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    converse(socket, (message) => messageIds.push(MESSAGE_ID.exec(message)?.[1] ?? ""));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messageIds,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

const END = "\r\n.\r\n";
function converse(socket: Socket, accept: (message: string) => void) {
  let [buffer, inMessage] = ["", false];
  const say = (line: string) => socket.write(`${line}\r\n`);
  socket.on("error", () => {});
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    buffer += chunk;
    for (;;) {
      const end = inMessage ? END : "\r\n";
      const at = buffer.indexOf(end);
      if (at < 0) return;
      const text = buffer.slice(0, at);
      buffer = buffer.slice(at + end.length);
      if (inMessage) {
        inMessage = false;
        accept(text);
        say("250 accepted");
        continue;
      }
      const command = text.slice(0, 4).toUpperCase();
      inMessage = command === "DATA";
      say(inMessage ? "354 end with a dot" : command === "QUIT" ? "221 bye" : "250 localhost");
      if (command === "QUIT") socket.end();
    }
  });
  say("220 localhost ready");
}
