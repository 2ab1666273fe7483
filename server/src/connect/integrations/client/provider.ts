// Contract of a provider with the engine: a declaration, and a small module that speaks the provider's language. The
// engine knows no provider's vocabulary; modules translate it into the types of this file.
import type { EventKind } from "@svc/contract/connect/integrations/kinds.ts";
import type { TSchema } from "typebox";
import type { App, Apps } from "../../../platform/settings/apps-config.ts";
import type { Fault } from "../../../platform/wire/problem.ts";
import type { SentHeaders } from "../../../platform/wire/standard-webhooks.ts";

/**
 * Calls the provider through the one egress, with a credential that is bound to its origin. Throws on every failure.
 */
export type Ask = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  options?: { json?: unknown; form?: Record<string, string>; headers?: Record<string, string>; bytes?: number },
) => Promise<{ status: number; headers: Headers; body: unknown }>;

/** Both sides sign. `isAnswer`: whether the provider signed this answer to the request with the `sent` headers. */
export interface Signing {
  sign(body: Buffer, headers: Readonly<Record<string, string>>): Record<string, string>;
  isAnswer(sent: Readonly<Record<string, string>>, headers: Headers, body: Buffer): boolean;
}

export interface ProviderTokens {
  access: string;
  refresh?: string;
  /** Expiry by our clock. */
  expiresAt?: string;
}
/** A person or an account at the provider. */
export interface Party {
  externalId: string;
  name: string;
}
/** Result of a round trip: tokens, the person, and the account to connect. */
export interface Arrived {
  tokens: ProviderTokens;
  person: Party;
  /** Account that the Workspace is connected with; null if only the identity was requested. */
  account: (Party & { managementUrl: string | null }) | null;
  /** Resources of the account that the person may see; absent: all that it lists. */
  resources?: Resource[];
}

export interface Resource {
  externalId: string;
  kind: "repository" | "channel" | "project" | "file" | "endpoint";
  name: string;
  url: string | null;
}

/** Rich entity at a Task. */
export interface Entity {
  kind: "branch" | "commit" | "pull_request" | "issue" | "error" | "message" | "frame" | "delivery";
  externalId: string;
  title: string;
  url: string;
  state: string;
  checks?: "pending" | "passing" | "failing" | null;
  authorName?: string | null;
  changedAt: string;
}
export type EntityStep = "opened" | "review" | "merged" | "closed";
/**
 * Present state of an entity; `texts` may contain codes of Tasks. `doers`: the person of each step, as far as the
 * provider says, if its deliveries do not prove who did it.
 */
export interface EntitySnapshot extends Entity {
  texts?: readonly string[];
  doers?: Readonly<Partial<Record<EntityStep, Party | null>>>;
}

/**
 * Person who did it there. `writes`: whether the delivery itself shows that they may write to the resource; absent: it
 * does not. `unproven`: it may have been somebody else, and nothing is done in their name.
 */
export interface By extends Party {
  writes?: boolean;
  unproven?: true;
}
/**
 * Event at a resource, as a delivery reports it. Only linked people and collaborators of the resource move Tasks and
 * comment on them.
 */
export type ResourceEvent = { resource: string; kind: EventKind; by: By | null } & (
  | { what: "entity"; entity: Entity; texts: readonly string[]; step: EntityStep | null }
  | {
      what: "checks";
      of: readonly Pick<Entity, "kind" | "externalId">[];
      checks: "pending" | "passing" | "failing";
      changedAt: string;
    }
  | {
      what: "comment";
      on: Pick<Entity, "kind" | "externalId">;
      comment: { externalId: string; text: string; url: string };
    }
  | {
      what: "error";
      entity: Entity;
      detail: string;
      step: "raised" | "resolved" | "reopened" | null;
      /** The binding that an alert was set up with: for its Project alone. */
      binding?: string;
    }
  | { what: "task_wanted"; entity: Entity; title: string; detail: string; reply: Record<string, string> | null }
  | { what: "links"; urls: readonly string[]; text: string; reply: Record<string, string> }
);
/** Event about the connection itself. */
export type ConnectionEvent = { what: "removed" } | { what: "resources_changed" };

export interface Delivery {
  /** The provider's id of the delivery; null: the digest of its body is used. */
  key: string | null;
  /** External id of our installation, if one address serves all of them; null if the address names it. */
  account: string | null;
  /** Deliveries of a lane are worked in order: the resource that it is about; empty if it has none. */
  lane: string;
  kind: string;
}

export interface Webhook {
  /**
   * Seconds after which a signed time is too old; null: the provider signs no time, and its state is read again before
   * anything is done.
   */
  age: number | null;
  /** Verifies in constant time, over the raw body. `secret` is that of the app or of the installation. */
  verify(headers: SentHeaders, body: Buffer, secret: string, now: Date): boolean;
  /** Answer to a delivery that is not stored: a handshake, or an event that nobody can want. Null for a delivery. */
  challenge?(body: unknown): Record<string, string> | null;
  /** Null if the delivery cannot be identified. `body` is parsed: JSON, or the fields of a form. */
  read(headers: SentHeaders, body: unknown): Delivery | null;
  /** Empty if it means nothing to us. */
  happened(kind: string, body: unknown): readonly (ResourceEvent | ConnectionEvent)[];
}

export interface ActionEffect {
  externalId: string;
  url: string | null;
}
export interface ProviderAction {
  name: string;
  input: TSchema;
  /** Whether the provider takes a key, so that the same call twice has one effect. */
  keyed: boolean;
  /** Creates with `marker` in the text if the provider takes no key, so that a search finds it again. */
  perform(ask: Ask, resource: Resource, input: never, marker: string): Promise<ActionEffect>;
  /** Result of an earlier attempt with this marker and input; null: none. Absent: the provider has no search. */
  find?(ask: Ask, resource: Resource, marker: string, input: never): Promise<ActionEffect | null>;
  /** Faults of an input whose schema somebody else has declared. */
  faults?(input: Readonly<Record<string, unknown>>): Fault[];
}

/** An action of the provider, with its input. */
export interface Telling {
  action: string;
  input: Record<string, unknown>;
}
type Shown = Pick<Entity, "kind" | "externalId" | "url">;
/** Outbound notifications. A provider omits those that it has no API for. */
export interface Tells {
  /** Posts to everybody at the resource. */
  announce?(text: string): Telling;
  /** Comments on the entity at the Task. */
  comment?(entity: Shown, text: string): Telling | null;
  resolve?(entity: Shown): Telling | null;
  /** Answers the person at the provider; `to` is the address that the delivery gave. */
  reply?(to: Readonly<Record<string, string>>, text: string): Telling | null;
  /** Previews of the links in a message. */
  unfurl?(to: Readonly<Record<string, string>>, links: readonly Preview[]): Telling | null;
}
export interface Preview {
  url: string;
  title: string;
  text: string;
}

/** OAuth round trip of a person to the provider. */
export interface Roundtrip {
  authorizeUrl(
    app: App,
    way: { base: string; state: string; challenge: string; redirectUri: string; purpose: Purpose },
  ): string;
  /**
   * Exchanges the code. An installation is accepted only if the person's own token lists it: the one in the address
   * (`named`) proves nothing. Throws if anything is wrong.
   */
  arrive(
    ask: (tokens?: ProviderTokens) => Ask,
    app: App,
    back: { code: string; verifier: string; redirectUri: string; purpose: Purpose; named: string | null },
  ): Promise<Arrived>;
  /** Absent: its tokens do not expire. */
  refresh?(ask: Ask, app: App, tokens: ProviderTokens): Promise<ProviderTokens>;
  revoke?(ask: Ask, app: App, tokens: ProviderTokens): Promise<void>;
}
export type Purpose = "installation" | "identity";

export interface ConnectionAdapter {
  /** Request headers that carry a token. */
  authorize(tokens: ProviderTokens): Record<string, string>;
  /** Address of its API, if the provider is reached at `base`. */
  api(base: string): string;
  roundtrip?: Roundtrip;
  /** Signs with the secret of the installation. */
  signing?(secret: string): Signing;
  /** Reads the account of a pasted credential. Throws if it is refused. */
  enter?(ask: Ask): Promise<Party & { managementUrl: string | null }>;
  /** The provider is never called: whoever connects it gets a secret of ours. */
  opens?: true;
  /**
   * The account lists more than the connecting person may see: a refresh covers only what their own token has listed.
   */
  listsMore?: true;
  /** Lists all resources, page by page, a thousand at most. */
  resources(ask: Ask, installation: { externalId: string; name: string }): Promise<Resource[]>;
  /** Whether a person may write to the resource there. */
  collaborates?(ask: Ask, resource: Resource, person: Party): Promise<boolean>;
  /** Webhooks that are registered for each resource. */
  hook?: {
    register(ask: Ask, resource: Resource, url: string, secret: string): Promise<string>;
    remove(ask: Ask, resource: Resource, externalId: string): Promise<void>;
  };
  /**
   * Present state of an entity; null: it is gone. Used for deliveries that are signed without a time, and for links.
   */
  look?(ask: Ask, resource: Resource, entity: Pick<Entity, "kind" | "externalId">): Promise<EntitySnapshot | null>;
  /** A comment and its author, for a provider whose deliveries do not prove them. Null: it is not public there. */
  hear?(
    ask: Ask,
    resource: Resource,
    on: Pick<Entity, "kind" | "externalId">,
    commentId: string,
  ): Promise<{ text: string; by: Party } | null>;
}

export interface ProviderDefinition {
  key: string;
  name: string;
  authorization: "oauth" | "app" | "credential";
  scopes: readonly string[];
  /** Settings that INTEGRATIONS_FILE must have for more than an entered credential; empty: none. */
  needs: readonly string[];
  /** Usual address, unless the operator or an authorisation gives another; null: it has none of its own. */
  base: string | null;
  /** People host it themselves: a credential may come with the address. */
  selfHosted: boolean;
  /** Whether people can link their identity there. */
  identities: boolean;
  /** Kinds of events that it delivers, or is notified of. */
  events: readonly EventKind[];
  actions: Readonly<Record<string, ProviderAction>>;
  /** Actions that one installation has declared, instead of `actions`. */
  declares?(declared: unknown): Readonly<Record<string, ProviderAction>>;
  tells?: Tells;
  /** Entities that a text links to and that `look` can read. */
  links?(text: string): readonly Pick<Entity, "kind" | "externalId">[];
  /** Calls a minute that it allows. */
  perMinute: number;
  connection: ConnectionAdapter;
  webhook: Webhook | null;
  /**
   * Owner of the secret that signs deliveries: the app for all installations, or each installation; null: it sends
   * none.
   */
  secretOf: "app" | "installation" | null;
  /** Name of the app's secret in INTEGRATIONS_FILE. */
  appSecret?: string;
  /** Stored form of a signing secret that the provider has chosen instead of ours, so that `verify` recognises it. */
  ownSecret?(secret: string): string;
}

/** Whether the operator has given all settings that it needs. */
export const isRegistered = ({ key, needs }: Pick<ProviderDefinition, "key" | "needs">, apps: Apps) =>
  needs.every((name) => apps[key]?.[name] !== undefined);
/** Whether it can be connected; without a registration by the operator, only with a credential. */
export const isAvailable = (provider: Pick<ProviderDefinition, "key" | "needs" | "connection">, apps: Apps) =>
  isRegistered(provider, apps) || provider.connection.enter !== undefined;
/** Base address: the self-hosted one, else the one that the operator has named, else the usual one. */
export const baseOf = (
  { key, base }: Pick<ProviderDefinition, "key" | "base">,
  apps: Apps,
  own: string,
): string | null => own || (apps[key]?.url ?? base);
