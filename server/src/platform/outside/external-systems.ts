// Interfaces of everything outside the process, for operations with effects. Each is created once at start from the
// configuration, and none is used inside a transaction.

import type { Apps } from "../settings/apps-config.ts";
import type { Ware } from "../settings/billing-config.ts";
import type { CredentialKind } from "../wire/credential.ts";
import type { SecretBox } from "../wire/secret-box.ts";
import type { Providers } from "./openid.ts";

export type EgressFault = "url" | "name" | "address" | "connection" | "time" | "size";

/** One mail to one person, in both formats. */
export interface Letter {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** URL for the header List-Unsubscribe (RFC 2369). */
  unsubscribe?: string;
}
export interface Mail {
  /**
   * Waits until the mail server has accepted the mail; refuses with delivery_unavailable. The id identifies a
   * repetition.
   */
  send(letter: Letter, id: string): Promise<void>;
}

export interface Grant {
  method: "GET" | "PUT";
  key: string;
  seconds: number;
  /** Exact number of bytes of an upload; `type` is its exact type. */
  length?: number;
  type?: string;
  /**
   * Checksum of an upload (hexadecimal SHA-256): such a URL writes one content only, however often and however late.
   */
  sha256?: string;
  /** Name under which the browser saves a download. */
  filename?: string;
}
/** An object that is read as a stream, so that none is held whole in memory. A reader that stops early releases it. */
export interface StoredObject {
  size: number;
  type: string;
  /** Checksum that the storage itself verified and stored, or null. */
  sha256: string | null;
  /** Changes when another object is stored under the key. */
  version: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Releases an object that may not have been read. */
  close(): Promise<void>;
}
export interface Storage {
  /** Maximum size of an uploaded file in bytes. */
  uploadLimit: number;
  put(key: string, bytes: Buffer, type: string): Promise<void>;
  get(key: string): Promise<Buffer | undefined>;
  open(key: string): Promise<StoredObject | undefined>;
  /** Moves an object atomically to another key; false if this version of it is no longer there. */
  move(from: string, to: string, version: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Copies an object from another storage: a stream of exactly that many bytes. */
  write(key: string, object: Omit<StoredObject, "version" | "close">): Promise<void>;
  isEmpty(): Promise<boolean>;
  /** Rejects if objects cannot be read now; a thorough check writes one and removes it. */
  check(thorough?: boolean): Promise<void>;
  /** Creates a URL for this one operation on this one object, valid for a limited time. */
  signedUrl(grant: Grant): Promise<string>;
  /** Headers that an upload to the URL requires, in addition to the length. */
  uploadHeaders(grant: Grant): Record<string, string>;
}

/**
 * Scans the stream of a file for malware; throws if a retry may help. "unscannable": the scanner does not accept such a
 * file, and never will.
 */
export type Scan = (bytes: AsyncIterable<Uint8Array>) => Promise<"clean" | "infected" | "unscannable">;

interface Limits {
  bytes?: number;
  ms?: number;
  headers?: Record<string, string>;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: Buffer;
  /** Headers sent to this origin only. */
  credential?: { origin: string; headers: Record<string, string> };
}
export interface StreamLimits extends Limits {
  signal?: AbortSignal;
}
/** Sends a request and reads the whole response. */
export type HttpExchange = (
  url: string,
  limits?: Limits,
) => Promise<{ status: number; headers: Headers; body: Buffer }>;
/** HTTP client for addresses that others have chosen. */
export interface Egress extends HttpExchange {
  /**
   * Reason why a request to this address would fail now; null: it may succeed. A name that does not resolve within 2 s
   * is not refused.
   */
  refusesNow(url: string): Promise<EgressFault | null>;
  /** Reads the response in chunks: `ms` limits the time until its start and between two chunks. */
  stream(
    url: string,
    limits: StreamLimits,
  ): Promise<{ status: number; headers: Headers; body: AsyncGenerator<Buffer> }>;
}

/** A tool call that a model requests; `fault` explains why it cannot be executed. */
export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  fault?: string;
}
/** Conversation so far, as sent to a model. */
export type ModelMessage =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: readonly ToolCall[] }
  | { role: "tool"; call: ToolCall; result: string; refused: boolean };
export interface ModelRequest {
  instructions: string;
  said: readonly ModelMessage[];
  tools: readonly { name: string; description: string; input: object }[];
  /** Maximum number of tokens in the answer. */
  most: number;
  signal: AbortSignal;
  /** Called with each text delta. */
  heard(text: string): void;
}
export interface Answered {
  text: string;
  calls: ToolCall[];
  /** length: cut off at `most`; refused: the provider or the model declined. */
  end: "done" | "calls" | "length" | "refused";
  usage: { input: number; output: number };
}
/** A model that writes text and requests tool calls. Throws a ModelError, or the abort reason of the signal. */
export interface LanguageModel {
  name: string;
  ask(asked: ModelRequest): Promise<Answered>;
}

/** A browser's push subscription, and our public key that it was created with. */
export interface PushSubscription {
  endpoint: string;
  p256dh: string;
  auth: string;
  publicKey: string;
}
export interface Push {
  /** Public key with which a browser subscribes (VAPID), as base64url. */
  publicKey: string;
  /**
   * Encrypts, signs and submits a message; "gone" if the subscription has ended for good. Throws if a retry may help.
   */
  send(subscription: PushSubscription, message: string): Promise<"sent" | "gone">;
}

export interface Price {
  amount: number;
  currency: string;
  interval: "day" | "week" | "month" | "year" | null;
}
/** Details of a checkout to create. The id makes it idempotent. */
export interface WantedCheckout {
  id: string;
  /** A plan, by the seat, or packs of credits. */
  item: Ware;
  quantity: number;
  /** Customer id at the provider, or null if only the address is known. */
  customer: string | null;
  email: string;
  successUrl: string;
  cancelUrl: string;
}
/** State of a checkout at the provider. References are opaque. */
export interface CheckoutAtProvider {
  state: "open" | "completed" | "expired";
  customer: string | null;
  subscription: string | null;
  /** Reference of a one-time payment; null if nothing was to be paid. */
  payment: string | null;
}
export interface SubscriptionAtProvider {
  standing: "paid" | "past_due" | "unpaid" | "cancelled";
  /** null: a price that is not configured any more. */
  plan: Exclude<Ware, "credits"> | null;
  seats: number;
  customer: string;
}
/** Amounts in the smallest unit of the currency. */
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
/** Subject of a signed delivery: its other content is not trusted. */
export interface BillingDelivery {
  event: string;
  kind: string;
  /** null: a subject that the service does not track. */
  subject: { kind: "checkout" | "subscription" | "payment"; ref: string } | null;
}
/**
 * The billing provider. All methods throw a BillingError if it does not answer; an uncertain result is found again by
 * its id.
 */
export interface Billing {
  provider: "stripe";
  sold: readonly Ware[];
  /** Cached for at most ten minutes. */
  prices(): Promise<ReadonlyMap<Ware, Price>>;
  beginCheckout(wanted: WantedCheckout): Promise<{ ref: string; url: string; expires_at: string }>;
  /** Expires a checkout, so that nobody can pay it any more, unless it was completed. */
  endCheckout(ref: string): Promise<"expired" | "completed">;
  checkout(ref: string): Promise<CheckoutAtProvider>;
  payment(ref: string): Promise<PaymentAtProvider>;
  subscription(ref: string): Promise<SubscriptionAtProvider>;
  /** Lists the newest invoices. */
  invoices(subscription: string): Promise<InvoiceAtProvider[]>;
  openPortal(customer: string, returnUrl: string): Promise<{ url: string; expires_at: string }>;
  /** null if the delivery is malformed, or was not signed recently by the provider. */
  delivery(
    body: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Promise<BillingDelivery | null>;
}

export interface VoiceAsked {
  id: string;
  offer: string;
  playback: "off" | "confirmations" | "full";
  seconds: number;
  expiresAt: string;
  /** Credential that the session acts with, and its Workspace. */
  queued: { workspaceId: string; credentialId: string; kind: CredentialKind };
}

/** Installation that calls operations, in the Projects bound to the resource; `userId`: on behalf of a linked user. */
export interface ActingInstallation {
  workspaceId: string;
  installationId: string;
  resourceId: string;
  userId: string | null;
}
/** Returns a function that calls an operation of the service by name. */
export type PerformAs = (
  as: ActingInstallation,
  signal: AbortSignal,
) => (
  operation: string,
  asked?: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown; key?: string },
  // biome-ignore lint/suspicious/noExplicitAny: the shape is the operation's, which its own tests hold.
) => Promise<{ body: any; repeated: boolean }>;

export interface ExternalSystems {
  mail: Mail;
  storage: Storage;
  /** null: files are not scanned. */
  scan: Scan | null;
  egress: Egress;
  /**
   * Egress of an integration provider: public addresses, and the origin that the operator configured for that provider
   * alone. `apps`: the registrations.
   */
  integrations: { egressFor(provider: string): Egress; apps: Apps };
  webhooks: Egress;
  /** Egress to Git servers that members name: public addresses, and the origins of GIT_ALLOW. */
  git: Egress;
  /** null: none is configured. */
  model: LanguageModel | null;
  push: Push;
  /** null: nothing is sold, and everything is granted. */
  billing: Billing | null;
  /** Begins a voice session, or refuses. */
  voice(asked: VoiceAsked): Promise<{ sdp: string }>;
  /** Performs operations on behalf of another service, as its installation. */
  performAs: PerformAs;
  providers: Providers;
  /**
   * Response of a breach range service to five digits of a hash, empty if it cannot be reached; null if none is
   * configured.
   */
  breachRange: ((digits: string) => Promise<string>) | null;
  /** Encrypts secrets that must be readable again. */
  secrets: SecretBox;
  /** Origin under which browsers and clients reach the service. */
  origin: () => string;
}
