// A certificate that a test server signs for itself, fresh in every run: no key lies in the repository, and none
// expires.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

const der = (tag: number, ...parts: Buffer[]) => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const text = (value: string) => der(0x0c, Buffer.from(value));
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const time = (value: string) => der(0x18, Buffer.from(value));

const ECDSA_SHA256 = sequence(oid("2a8648ce3d040302"));
const COMMON_NAME = oid("550403");
const SUBJECT_ALT_NAME = oid("551d11");

/** X.509 v3 for one DNS name (RFC 5280), with its key, both as PEM. */
export function certificateFor(name: string): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const subject = sequence(der(0x31, sequence(COMMON_NAME, text(name))));
  const altNames = der(0x04, sequence(der(0x82, Buffer.from(name))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    subject,
    sequence(time("20200101000000Z"), time("21200101000000Z")),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, altNames))),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", toBeSigned, privateKey));
  const body =
    sequence(toBeSigned, ECDSA_SHA256, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
