// A push service as browsers know it, on loopback: it takes what is pushed, and plays the browser that decrypts it (RFC
// 8188, 8291).
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { egressTo } from "../src/platform/outside/egress.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { certificateFor } from "./certificate.ts";

/** What a browser hands to the page, and what it keeps. */
export function browser(host = "push.example.com") {
  const key = createECDH("prime256v1");
  key.generateKeys();
  const auth = randomBytes(16);
  const keys = { p256dh: key.getPublicKey("base64url"), auth: auth.toString("base64url") };
  const open = (body: Buffer): string => {
    const [salt, length] = [body.subarray(0, 16), body[20] as number];
    const sender = body.subarray(21, 21 + length);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), key.getPublicKey(), sender]);
    const input = Buffer.from(hkdfSync("sha256", key.computeSecret(sender), auth, info, 32));
    const derive = (name: string, bytes: number) =>
      Buffer.from(hkdfSync("sha256", input, salt, Buffer.from(`Content-Encoding: ${name}\0`), bytes));
    const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
    decipher.setAuthTag(body.subarray(-16));
    const record = Buffer.concat([decipher.update(body.subarray(21 + length, -16)), decipher.final()]);
    const end = record.lastIndexOf(2);
    if (end < 0 || record.subarray(end + 1).some((byte) => byte !== 0)) throw new Error("no last record");
    return record.subarray(0, end).toString("utf8");
  };
  return { subscription: { endpoint: `https://${host}/send/${newId()}`, keys }, open };
}

export interface Pushed {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const HOST = "push.example.com";

/** Over TLS and through the real way out, for which alone this one place on loopback is public. */
export async function pushReceiver() {
  const pushed: Pushed[] = [];
  const state = { status: 201 };
  const { cert, key } = certificateFor(HOST);
  const server = createServer({ cert, key }, async (request, response) => {
    pushed.push({ path: request.url as string, headers: request.headers, body: await buffer(request) });
    response.writeHead(state.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `${HOST}:${(server.address() as AddressInfo).port}`;
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const egress = egressTo({ allow: [`https://${host}`], resolve, ca: cert });
  return { pushed, state, egress, host, browser: () => browser(host), close: () => server.close() };
}
