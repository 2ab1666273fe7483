// Passkey ceremonies without their storage: what a browser is asked, and whether its answer is good. All CBOR and signature work is
// here, and none of it sees a database. Attestation that brings certificates is refused unread: nobody asked for it, and the library
// would fetch the revocation lists that they name, from wherever a stranger says.
import { randomBytes } from "node:crypto";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from "@svc/contract/accounts/identity/passkeys.ts";
import type { Static } from "typebox";

/** Whom passkeys are for: a domain, and the one origin that may use them. */
export interface RelyingParty {
  id: string;
  origin: string;
}
/** Null where the public address has no domain: a passkey never belongs to an IP address. */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin } = new URL(publicUrl);
  // A URL spells every IPv4 address with four numbers and every IPv6 address in brackets.
  return /^(?:\[|\d+\.\d+\.\d+\.\d+$)/.test(hostname) ? null : { id: hostname, origin };
}

/** Loaded with the first ceremony: 27 MB and half a second that a start without passkeys does not pay. */
async function library() {
  const [server, helpers] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  return { ...server, ...helpers };
}
type Library = Awaited<ReturnType<typeof library>>;

export const CEREMONY_SECONDS = 300;
const MOST_ID_BYTES = 1023;
/** ES256, EdDSA and RS256, in the order in which we would have them. */
const ALGORITHMS = [-7, -8, -257];

export const newChallenge = () => randomBytes(32).toString("base64url");
const bytes = (text: string) => Buffer.from(text, "base64url");
/** The account's id as its 16 bytes: it tells a stranger who finds the authenticator nothing. */
const handleOf = (userId: string) => Buffer.from(userId.replaceAll("-", ""), "hex").toString("base64url");

/** A passkey as a browser is told of it. */
export interface Named {
  id: string;
  transports: string[];
}
const named = ({ id, transports }: Named) => ({ type: "public-key" as const, id, transports });

/** Without passkeys that are meant the browser offers all that it has for this service. */
export const requestOptions = (
  party: RelyingParty,
  challenge: string,
  meant: Named[] = [],
): Static<typeof PasskeyRequest> => ({
  challenge,
  rpId: party.id,
  timeout: CEREMONY_SECONDS * 1000,
  userVerification: "required",
  allowCredentials: meant.map(named),
});

export interface Registering {
  id: string;
  email: string;
  display_name: string;
  passkeys: Named[];
}
export const creationOptions = (
  party: RelyingParty,
  challenge: string,
  user: Registering,
): Static<typeof PasskeyCreation> => ({
  challenge,
  rp: { id: party.id, name: "svc" },
  user: { id: handleOf(user.id), name: user.email, displayName: user.display_name },
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
  timeout: CEREMONY_SECONDS * 1000,
  attestation: "none",
  authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
  excludeCredentials: user.passkeys.map(named),
});

export interface NewCredential {
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  backupEligible: boolean;
  backupState: boolean;
}
/** Null where the answer is not good, for whatever reason. */
export function verifiedAttestation(
  party: RelyingParty,
  challenge: string,
  response: Static<typeof PasskeyAttestation>,
): Promise<NewCredential | null> {
  return goodOrNull(async (webauthn) => {
    if (isEmbedded(webauthn, response) || bringsCertificates(webauthn, response.response.attestationObject))
      return null;
    const { verified, registrationInfo } = await webauthn.verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || registrationInfo.credential.id !== response.id) return null;
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    const credentialId = bytes(credential.id);
    if (credentialId.length > MOST_ID_BYTES) return null;
    return {
      credentialId,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: response.response.transports ?? [],
      backupEligible: credentialDeviceType === "multiDevice",
      backupState: credentialBackedUp,
    };
  });
}

/** No statement, or one that the new key has signed itself: the two that a browser passes on where none is asked for. */
function bringsCertificates({ decodeAttestationObject }: Library, attestationObject: string): boolean {
  const decoded = decodeAttestationObject(bytes(attestationObject));
  const format = decoded.get("fmt");
  return format !== "none" && !(format === "packed" && decoded.get("attStmt").get("x5c") === undefined);
}

/** Asked for from a frame in somebody else's page. */
const isEmbedded = ({ decodeClientDataJSON }: Library, { response }: { response: { clientDataJSON: string } }) =>
  decodeClientDataJSON(response.clientDataJSON).crossOrigin === true;

export interface KnownCredential {
  user_id: string;
  credential_id: Buffer;
  public_key: Buffer;
}
export interface Use {
  counter: number;
  backupState: boolean;
}
/** Null where the answer is not good. Its counter is not compared here: that is decided on the locked row, once the signature is good. */
export function verifiedAssertion(
  party: RelyingParty,
  challenge: string,
  known: KnownCredential,
  response: Static<typeof PasskeyAssertion>,
): Promise<Use | null> {
  return goodOrNull(async (webauthn) => {
    if (isEmbedded(webauthn, response) || response.response.userHandle !== handleOf(known.user_id)) return null;
    const { verified, authenticationInfo } = await webauthn.verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: known.credential_id.toString("base64url"),
        publicKey: new Uint8Array(known.public_key),
        counter: 0,
      },
    });
    if (!verified) return null;
    return { counter: authenticationInfo.newCounter, backupState: authenticationInfo.credentialBackedUp };
  });
}

/** The library says what is wrong by throwing, and so does its decoder, on anything that a stranger may send. */
async function goodOrNull<T>(verify: (webauthn: Library) => Promise<T | null>): Promise<T | null> {
  const webauthn = await library();
  try {
    return await verify(webauthn);
  } catch {
    return null;
  }
}
