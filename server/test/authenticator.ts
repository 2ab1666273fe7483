// An authenticator in software: one ES256 key that makes and answers Web Authentication ceremonies as a browser would
// pass them on. It tells the truth unless it is asked to lie, in one point at a time.
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { newId } from "../src/platform/wire/ids.ts";
import type { TestService } from "./world.ts";

export type Cbor = number | string | Buffer | Cbor[] | Map<Cbor, Cbor>;
/** As much CBOR as keys and attestations need: lengths below 65,536. */
export function cbor(value: Cbor): Buffer {
  const head = (major: number, count: number) =>
    count < 24
      ? Buffer.from([(major << 5) | count])
      : count < 256
        ? Buffer.from([(major << 5) | 24, count])
        : Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  return Buffer.concat([head(5, value.size), ...[...value].flat().map((each) => cbor(each as Cbor))]);
}

/** What a statement about a new key is made of. */
export interface KeyStatement {
  authData: Buffer;
  clientDataHash: Buffer;
  id: Buffer;
  /** The public point, as it stands in certificates. */
  point: Buffer;
  sign(data: Buffer): Buffer;
}
export interface Lies {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  topOrigin?: string;
  present?: boolean;
  verified?: boolean;
  backupEligible?: boolean;
  backedUp?: boolean;
  counter?: number;
  /** Sent in place of the credential's own. */
  id?: string;
  userHandle?: string | null;
  signature?: string;
  /** In place of "none" and its empty statement. */
  attestation?: (made: KeyStatement) => [string, Map<Cbor, Cbor>];
  attestationObject?: string;
  /** In place of ES256. */
  algorithm?: number;
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const text = (data: Buffer | string) => Buffer.from(data).toString("base64url");

export type SoftwareAuthenticator = ReturnType<typeof newAuthenticator>;

/** `counts` is what its counter goes up by with each use: 0 for those that have none. */
export function newAuthenticator({ origin, counts = 1 }: { origin: string; counts?: number }) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = publicKey.export({ format: "jwk" }) as { x: string; y: string };
  const id = randomBytes(32);
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  let counter = 0;
  const own = new URL(origin);
  const coseKey = (algorithm = -7) =>
    cbor(
      new Map<Cbor, Cbor>([
        [1, 2],
        [3, algorithm],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]),
    );
  const clientData = (type: string, challenge: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? own.origin,
        crossOrigin: lies.crossOrigin ?? false,
        ...(lies.topOrigin ? { topOrigin: lies.topOrigin } : {}),
      }),
    );
  const data = (lies: Lies, attested?: Buffer) => {
    const { present = true, verified = true, backupEligible = false, backedUp = false } = lies;
    const flags = Number(present) | (Number(verified) << 2) | (Number(backupEligible) << 3) | (Number(backedUp) << 4);
    const count = Buffer.alloc(4);
    counter += counts;
    count.writeUInt32BE(lies.counter ?? counter);
    const head = [sha256(lies.rpId ?? own.hostname), Buffer.from([flags | (attested ? 64 : 0)]), count];
    return Buffer.concat(attested ? [...head, attested] : head);
  };
  const credential = <R>(response: R, lies: Lies) => ({
    id: lies.id ?? text(id),
    rawId: lies.id ?? text(id),
    type: "public-key",
    response,
    clientExtensionResults: {},
    authenticatorAttachment: "platform",
  });
  return {
    id: text(id),
    /** The answer to the options of a registration. */
    attest({ challenge }: { challenge: string }, lies: Lies = {}) {
      const clientDataJSON = clientData("webauthn.create", challenge, lies);
      const length = Buffer.from([0, id.length]);
      const authData = data(lies, Buffer.concat([Buffer.alloc(16), length, id, coseKey(lies.algorithm)]));
      const clientDataHash = sha256(clientDataJSON);
      const made: KeyStatement = {
        authData,
        clientDataHash,
        id,
        point,
        sign: (bytes) => sign("sha256", bytes, privateKey),
      };
      const [fmt, statement] = lies.attestation?.(made) ?? ["none", new Map()];
      const parts = new Map<Cbor, Cbor>([
        ["fmt", fmt],
        ["attStmt", statement],
        ["authData", authData],
      ]);
      const attestationObject = lies.attestationObject ?? text(cbor(parts));
      return credential(
        { clientDataJSON: text(clientDataJSON), attestationObject, transports: ["internal", "hybrid"] },
        lies,
      );
    },
    /** The answer to the options of a sign-in, for the account that it was registered by. */
    assert({ challenge }: { challenge: string }, userId: string, lies: Lies = {}) {
      const clientDataJSON = clientData("webauthn.get", challenge, lies);
      const authenticatorData = data(lies);
      const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
      const handle = text(Buffer.from(userId.replaceAll("-", ""), "hex"));
      return credential(
        {
          clientDataJSON: text(clientDataJSON),
          authenticatorData: text(authenticatorData),
          signature: lies.signature ?? text(sign("sha256", signed, privateKey)),
          userHandle: lies.userHandle === undefined ? handle : lies.userHandle,
        },
        lies,
      );
    },
    /** Straight into the database, for tests that are not about registration; gives the passkey's id. */
    async plant(running: TestService, userId: string): Promise<string> {
      const passkeyId = newId();
      await running.sql(
        `insert into passkeys (id, user_id, credential_id, public_key, counter, backup_eligible, backup_state, name)
         values ($1, $2, $3, $4, 0, false, false, 'Key')`,
        [passkeyId, userId, id, coseKey()],
      );
      return passkeyId;
    },
  };
}

/** Begins a sign-in: the token and the options. */
export const beginLogin = async (running: TestService) =>
  (await running.send("POST", "/auth/passkeys/login/options")).body as {
    ceremony_token: string;
    options: { challenge: string };
  };
