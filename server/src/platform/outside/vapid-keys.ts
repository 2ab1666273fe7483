// Derives the keys with which push services identify this service (VAPID, RFC 8292), one from each secret key: every
// instance has the same ones, they rotate together with SECRET_KEYS, and there is nothing more to store or to back up.
// Pure.
import { createECDH, hkdfSync } from "node:crypto";

export interface VapidKey {
  /** Uncompressed point and scalar on P-256, as base64url. */
  publicKey: string;
  privateKey: string;
}

/** Order of the group P-256. */
const ORDER = BigInt("0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");

/** Derives 16 bytes more than the group's order, so that the remainder is practically uniform (FIPS 186-5, A.2.1). */
export function vapidKeyOf(secretKey: Buffer): VapidKey {
  const seed = Buffer.from(hkdfSync("sha256", secretKey, "", "svc web push", 48));
  const scalar = (BigInt(`0x${seed.toString("hex")}`) % (ORDER - 1n)) + 1n;
  const privateKey = Buffer.from(scalar.toString(16).padStart(64, "0"), "hex");
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(privateKey);
  return { publicKey: curve.getPublicKey("base64url"), privateKey: privateKey.toString("base64url") };
}
