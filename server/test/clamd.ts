// Two scanners for tests: a peer of our own that speaks INSTREAM on a real socket and misbehaves as it is told, and the
// real clamd with a signature file of our own, because it ships none.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The file that every scanner finds by agreement. Put together here, so that none finds it in this one. */
export const eicar = Buffer.from(
  ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$", "EICAR-STANDARD-ANTIVIRUS", "-TEST-FILE!$H+H*"].join(""),
);

export interface Peer {
  url: string;
  /** Whole files that it was sent. */
  files: Buffer[];
  /** Bytes that came in all, whole or not. */
  received: number;
  answer: string;
  /**
   * "deaf": takes no byte; "mute": never answers; "cut": closes at the first byte of the file; "early": answers then,
   * without waiting for the rest.
   */
  manner: "good" | "deaf" | "mute" | "cut" | "early";
  close(): Promise<void>;
}

export async function startPeer(listenOn: { path: string } | { port: number; host: string }): Promise<Peer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    // A connection stays with the files and the manner that it began with, also where the next test begins before it
    // has ended.
    const { files, manner } = peer;
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    if (manner === "deaf") return void socket.pause();
    let came = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      if (socket.writableEnded) return;
      came = Buffer.concat([came, chunk]);
      peer.received += chunk.length;
      if (manner === "cut" && came.length > 10) return void socket.destroy();
      if (manner === "early" && came.length > 10) return void socket.end(`${peer.answer}\0`);
      const file = wholeFile(came);
      if (!file) return;
      files.push(file);
      if (manner === "good") socket.end(`${peer.answer}\0`);
    });
  });
  await new Promise<void>((resolve) => server.listen(listenOn, () => resolve()));
  const url =
    "path" in listenOn ? `unix:${listenOn.path}` : `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peer: Peer = {
    url,
    files: [],
    received: 0,
    answer: "stream: OK",
    manner: "good",
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return peer;
}

/** Undefined until the piece without length has come. Throws where it is not the protocol. */
function wholeFile(came: Buffer): Buffer | undefined {
  const command = Buffer.from("zINSTREAM\0");
  if (came.length < command.length) return undefined;
  if (!came.subarray(0, command.length).equals(command)) throw new Error("not INSTREAM");
  const pieces: Buffer[] = [];
  for (let at = command.length; at + 4 <= came.length; ) {
    const length = came.readUInt32BE(at);
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(came.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return undefined;
}

/** The real one, on a socket of its own; it takes files of at most a megabyte. */
export async function startClamd(program: string) {
  const dir = mkdtempSync(join(tmpdir(), "svc-clamd-"));
  const path = join(dir, "socket");
  const settings = [
    `LocalSocket ${path}`,
    `DatabaseDirectory ${dir}`,
    `TemporaryDirectory ${dir}`,
    "Foreground yes",
    "StreamMaxLength 1M",
    "AlertExceedsMax yes",
    "MaxFileSize 512K",
  ];
  writeFileSync(join(dir, "clamd.conf"), `${settings.join("\n")}\n`);
  writeFileSync(join(dir, "own.ndb"), `Own.Eicar:0:*:${eicar.toString("hex")}\n`);
  const child = spawn(program, ["--config-file", join(dir, "clamd.conf")], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  while (child.exitCode === null && !(await answers(path))) await sleep(50);
  if (child.exitCode !== null) throw new Error(`clamd has ended with ${child.exitCode}`);
  return {
    url: `unix:${path}`,
    /** As when its machine goes away. */
    pause: () => child.kill("SIGSTOP"),
    resume: () => child.kill("SIGCONT"),
    async close() {
      child.kill("SIGKILL");
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const answers = (path: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ path }, () => socket.end("zPING\0"));
    socket.on("data", () => resolve(true)).on("error", () => resolve(false));
  });
