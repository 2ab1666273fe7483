// Passkey ceremonies without storage: builds the browser's options and verifies its responses. All CBOR and signature
// work is here, without database access. Attestation with certificates is refused unread: we never request it, and the
// library would fetch revocation lists from URLs that the sender controls.
import { randomBytes } from "node:crypto";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from "@svc/contract/accounts/identity/passkeys.ts";
import type { Static } from "typebox";

/** Relying party of passkeys: a domain, and the one origin that may use them. */
export interface RelyingParty {
  id: string;
  origin: string;
}
/** Null if the public URL has no domain: a passkey never belongs to an IP address. */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin } = new URL(publicUrl);
  // The URL parser writes every IPv4 address as four numbers and every IPv6 address in brackets.
  return /^(?:\[|\d+\.\d+\.\d+\.\d+$)/.test(hostname) ? null : { id: hostname, origin };
}

/** Loaded on the first ceremony: 27 MB and half a second that a start without passkeys avoids. */
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
/** ES256, EdDSA and RS256, in order of preference. */
const ALGORITHMS = [-7, -8, -257];

export const newChallenge = () => randomBytes(32).toString("base64url");
const bytes = (text: string) => Buffer.from(text, "base64url");
/** User handle: the 16 bytes of the account id, which reveal nothing to a finder of the authenticator. */
const handleOf = (userId: string) => Buffer.from(userId.replaceAll("-", ""), "hex").toString("base64url");

/** Credential descriptor of a passkey. */
export interface PasskeyDescriptor {
  id: string;
  transports: string[];
}
const named = ({ id, transports }: PasskeyDescriptor) => ({ type: "public-key" as const, id, transports });

/** Without `meant` passkeys, the browser offers every passkey of this service. */
export const requestOptions = (
  party: RelyingParty,
  challenge: string,
  meant: PasskeyDescriptor[] = [],
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
  passkeys: PasskeyDescriptor[];
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
/** Null if the response is invalid for any reason. */
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

/**
 * False without an attestation statement and for self attestation: browsers send these two if no attestation is
 * requested.
 */
function bringsCertificates({ decodeAttestationObject }: Library, attestationObject: string): boolean {
  const decoded = decodeAttestationObject(bytes(attestationObject));
  const format = decoded.get("fmt");
  return format !== "none" && !(format === "packed" && decoded.get("attStmt").get("x5c") === undefined);
}

/** The response was created in a cross-origin frame. */
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
/**
 * Null if the response is invalid. The counter is compared later, on the locked row, once the signature is verified.
 */
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

/** Maps errors to null: the library and its decoder throw on any invalid input. */
async function goodOrNull<T>(verify: (webauthn: Library) => Promise<T | null>): Promise<T | null> {
  const webauthn = await library();
  try {
    return await verify(webauthn);
  } catch {
    return null;
  }
}
