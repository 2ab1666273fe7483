// Preloaded by the server: appends one byte to ATTEMPTS_FILE for each connection attempt to ATTEMPTS_PORT. The proxy
// cannot count the attempts that it refuses.
import { appendFileSync } from "node:fs";
import { Socket } from "node:net";

const { ATTEMPTS_FILE = "", ATTEMPTS_PORT } = process.env;
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
  if (args.flat().includes(Number(ATTEMPTS_PORT))) appendFileSync(ATTEMPTS_FILE, ".");
  return Reflect.apply(connect, this, args);
} as typeof connect;
