// What lies outside the process, as operations with effects reach it. Each is made once at start from the configuration, and none is
// used inside a transaction.

import type { Apps } from "../settings/apps-config.ts";
import type { Ware } from "../settings/billing-config.ts";
import type { CredentialKind } from "../wire/credential.ts";
import type { SecretBox } from "../wire/secret-box.ts";
import type { Providers } from "./openid.ts";

export type EgressFault = "url" | "name" | "address" | "connection" | "time" | "size";

/** One message to one person, in both forms. */
export interface Letter {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** For the header List-Unsubscribe (RFC 2369). */
  unsubscribe?: string;
}
export interface Mail {
  /** Waits until the mail server has accepted it; refuses with delivery_unavailable. The id makes a repetition recognisable. */
  send(letter: Letter, id: string): Promise<void>;
}

export interface Grant {
  method: "GET" | "PUT";
  key: string;
  seconds: number;
  /** Of an upload: exactly this many bytes and this type. */
  length?: number;
  type?: string;
  /** And with this checksum (hexadecimal SHA-256): such a URL writes one content only, however often and however late. */
  sha256?: string;
  /** Of a download: the name that the browser saves it under. */
  filename?: string;
}
/** An object as it is read: piece by piece, so that none is held whole. Whoever begins and stops early lets go of it. */
export interface StoredObject {
  size: number;
  type: string;
  /** Where the storage has checked it itself and remembers it. */
  sha256: string | null;
  /** Another one where something else lies under the key. */
  version: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Lets go of it where perhaps nothing was read. */
  close(): Promise<void>;
}
export interface Storage {
  /** The most bytes of a file that somebody uploads. */
  uploadLimit: number;
  put(key: string, bytes: Buffer, type: string): Promise<void>;
  get(key: string): Promise<Buffer | undefined>;
  open(key: string): Promise<StoredObject | undefined>;
  /** From one key to another, in one step to whoever reads; false where this version of it lies there no more. */
  move(from: string, to: string, version: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** As it was in another storage: exactly so many bytes, in pieces. */
  write(key: string, object: Omit<StoredObject, "version" | "close">): Promise<void>;
  isEmpty(): Promise<boolean>;
  /** Rejects if objects cannot be read now; a thorough check writes one and removes it. */
  check(thorough?: boolean): Promise<void>;
  /** A URL that does this one thing to this one object for a while. */
  signedUrl(grant: Grant): Promise<string>;
  /** What must be sent along to a URL for an upload, beside the length. */
  uploadHeaders(grant: Grant): Record<string, string>;
}

/**
 * Looks for what harms whoever opens a file. It reads the file piece by piece; throws where another attempt may help. "unscannable": it does
 * not take a file like this one, and never will.
 */
export type Scan = (bytes: AsyncIterable<Uint8Array>) => Promise<"clean" | "infected" | "unscannable">;

interface Limits {
  bytes?: number;
  ms?: number;
  headers?: Record<string, string>;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: Buffer;
  /** Sent to this origin and to no other one. */
  credential?: { origin: string; headers: Record<string, string> };
}
export interface StreamLimits extends Limits {
  signal?: AbortSignal;
}
/** An answer read whole. */
export type Exchange = (url: string, limits?: Limits) => Promise<{ status: number; headers: Headers; body: Buffer }>;
/** The one way out to addresses that somebody else has chosen. */
export interface Egress extends Exchange {
  /** Why a request to this address would fail now; null: it may succeed. A name that does not resolve within 2 s is not refused. */
  refusesNow(url: string): Promise<EgressFault | null>;
  /** Piece by piece: `ms` until it begins and between two pieces. */
  stream(
    url: string,
    limits: StreamLimits,
  ): Promise<{ status: number; headers: Headers; body: AsyncGenerator<Buffer> }>;
}

/** A call of a tool that a model asks for; `fault`: it is none that could be made, and why. */
export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  fault?: string;
}
/** What was said so far, as a model is told it. */
export type Said =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: readonly ToolCall[] }
  | { role: "tool"; call: ToolCall; result: string; refused: boolean };
export interface Asked {
  instructions: string;
  said: readonly Said[];
  tools: readonly { name: string; description: string; input: object }[];
  /** Tokens of the answer at most. */
  most: number;
  signal: AbortSignal;
  /** Told of each piece of text as it comes. */
  heard(text: string): void;
}
export interface Answered {
  text: string;
  calls: ToolCall[];
  /** length: it was cut at `most`; refused: the provider or the model does not want to. */
  end: "done" | "calls" | "length" | "refused";
  usage: { input: number; output: number };
}
/** A model that writes text and asks for tools. It throws a ModelError, or what the signal was aborted with. */
export interface Model {
  name: string;
  ask(asked: Asked): Promise<Answered>;
}

/** A browser's push subscription, and our public key that it was made with. */
export interface PushSubscription {
  endpoint: string;
  p256dh: string;
  auth: string;
  publicKey: string;
}
export interface Push {
  /** What a browser subscribes with (VAPID), as base64url. */
  publicKey: string;
  /** Encrypts, signs and hands over; "gone" where the subscription has ended for good. Throws where another attempt may help. */
  send(subscription: PushSubscription, message: string): Promise<"sent" | "gone">;
}

export interface Price {
  amount: number;
  currency: string;
  interval: "day" | "week" | "month" | "year" | null;
}
/** What somebody is led to pay for. Asked for again with the same id, it is the same. */
export interface WantedCheckout {
  id: string;
  /** A plan, by the seat, or packs of credits. */
  item: Ware;
  quantity: number;
  /** Who pays: whom the provider knows, or an address. */
  customer: string | null;
  email: string;
  successUrl: string;
  cancelUrl: string;
}
/** As the provider has it now. Its names of things are opaque. */
export interface CheckoutAtProvider {
  state: "open" | "completed" | "expired";
  customer: string | null;
  subscription: string | null;
  /** Of what is paid once; null where nothing was to be paid. */
  payment: string | null;
}
export interface SubscriptionAtProvider {
  standing: "paid" | "past_due" | "unpaid" | "cancelled";
  /** null: a price that is not configured any more. */
  plan: Exclude<Ware, "credits"> | null;
  seats: number;
  customer: string;
}
/** In the smallest unit of its currency. */
export interface PaymentAtProvider {
  amount: number;
  refunded: number;
}
export interface InvoiceAtProvider {
  ref: string;
  amount: number;
  currency: string;
  state: "draft" | "open" | "paid" | "void" | "uncollectible";
  url: string | null;
  issued_at: string;
}
/** What a signed delivery is about: nothing else in it is believed. */
export interface BillingDelivery {
  event: string;
  kind: string;
  /** null: nothing that is followed. */
  subject: { kind: "checkout" | "subscription" | "payment"; ref: string } | null;
}
/** Who takes the money. Everything throws a BillingError where it does not answer; what it may have done is found again by its id. */
export interface Billing {
  provider: "stripe";
  sold: readonly Ware[];
  /** At most ten minutes old. */
  prices(): Promise<ReadonlyMap<Ware, Price>>;
  beginCheckout(wanted: WantedCheckout): Promise<{ ref: string; url: string; expires_at: string }>;
  /** Nobody can pay it any more, unless somebody has. */
  endCheckout(ref: string): Promise<"expired" | "completed">;
  checkout(ref: string): Promise<CheckoutAtProvider>;
  payment(ref: string): Promise<PaymentAtProvider>;
  subscription(ref: string): Promise<SubscriptionAtProvider>;
  /** The newest. */
  invoices(subscription: string): Promise<InvoiceAtProvider[]>;
  openPortal(customer: string, returnUrl: string): Promise<{ url: string; expires_at: string }>;
  /** null where it is not signed by the provider a moment ago, or is none. */
  delivery(
    body: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Promise<BillingDelivery | null>;
}

/** A voice session that somebody asks for. */
export interface VoiceAsked {
  id: string;
  offer: string;
  playback: "off" | "confirmations" | "full";
  seconds: number;
  expiresAt: string;
  /** The credential that it acts with, and where. */
  queued: { workspaceId: string; credentialId: string; kind: CredentialKind };
}

/** As which installation operations are called: in the Projects that are bound to the resource; `userId`: as somebody who is linked there. */
export interface ActingInstallation {
  workspaceId: string;
  installationId: string;
  resourceId: string;
  userId: string | null;
}
/** How one calls an operation of the service by its name. */
export type PerformAs = (
  as: ActingInstallation,
  signal: AbortSignal,
) => (
  operation: string,
  asked?: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown; key?: string },
  // biome-ignore lint/suspicious/noExplicitAny: the shape is the operation's, which its own tests hold.
) => Promise<{ body: any; repeated: boolean }>;

export interface Outside {
  mail: Mail;
  storage: Storage;
  /** null: nothing looks into files. */
  scan: Scan | null;
  egress: Egress;
  /** A provider of integrations reaches public addresses, and the origin that the operator named for it alone. `apps`: the registrations. */
  integrations: { egressFor(provider: string): Egress; apps: Apps };
  /** The same, to where webhooks are sent. */
  webhooks: Egress;
  /** Git servers that members name: public addresses, and the origins of GIT_ALLOW. */
  git: Egress;
  /** null: none is configured. */
  model: Model | null;
  push: Push;
  /** null: nothing is sold, and everything is granted. */
  billing: Billing | null;
  /** Begins a voice session, or refuses. */
  voice(asked: VoiceAsked): Promise<{ sdp: string }>;
  /** What another service asks for is done by operations, as its installation. */
  performAs: PerformAs;
  /** Those that are configured, by name. */
  providers: Providers;
  /** What a range service says to five digits of a hash, and nothing where it cannot be asked; null without one. */
  breachRange: ((digits: string) => Promise<string>) | null;
  /** Of secrets that must be read back. */
  secrets: SecretBox;
  /** The origin under which browsers and clients reach the service. */
  origin: () => string;
}
