// What a provider is to the engine: a declaration, and a small module that speaks its language. The engine knows no provider's word; what comes from one is
// told in the words of this file.
import type { EventKind } from "@svc/contract/connect/integrations/kinds.ts";
import type { TSchema } from "typebox";
import type { App, Apps } from "../../platform/settings/apps-config.ts";
import type { Fault } from "../../platform/wire/problem.ts";
import type { SentHeaders } from "../../platform/wire/standard-webhooks.ts";

/** A call to the provider through the one way out, with a credential that is bound to its origin. Throws where nothing good was answered. */
export type Ask = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  options?: { json?: unknown; form?: Record<string, string>; headers?: Record<string, string>; bytes?: number },
) => Promise<{ status: number; headers: Headers; body: unknown }>;

/** Both sides sign. `isAnswer`: whether they wrote it, in answer to what was sent with these headers. */
export interface Signing {
  sign(body: Buffer, headers: Readonly<Record<string, string>>): Record<string, string>;
  isAnswer(sent: Readonly<Record<string, string>>, headers: Headers, body: Buffer): boolean;
}

export interface Tokens {
  access: string;
  refresh?: string;
  /** By our clock. */
  expiresAt?: string;
}
/** Somebody, or an account, at the provider. */
export interface Party {
  externalId: string;
  name: string;
}
/** What a round trip through the provider has brought: tokens, whose they are, and what was installed. */
export interface Arrived {
  tokens: Tokens;
  person: Party;
  /** The account that the Workspace is connected with; null where only the identity was asked for. */
  account: (Party & { managementUrl: string | null }) | null;
  /** Of the account, what the person may see there; absent: all that it lists. */
  resources?: Resource[];
}

export interface Resource {
  externalId: string;
  kind: "repository" | "channel" | "project" | "file" | "endpoint";
  name: string;
  url: string | null;
}

/** What stands at a Task. */
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
export type Step = "opened" | "review" | "merged" | "closed";
/**
 * As it is now; `texts`: in which the codes of Tasks may stand. `doers`: of a provider whose deliveries do not prove who did it, who took which step, as far
 * as it says.
 */
export interface Looked extends Entity {
  texts?: readonly string[];
  doers?: Readonly<Partial<Record<Step, Party | null>>>;
}

/**
 * Who did it there. `writes`: whether the delivery itself shows that they may write to the resource; absent: it does not say. `unproven`: it may have been
 * somebody else, and nothing is done in their name.
 */
export interface By extends Party {
  writes?: boolean;
  unproven?: true;
}
/** What a delivery says happened at a resource. Only somebody who is linked, or a collaborator of the resource, moves Tasks and comments on them. */
export type Happened = { resource: string; kind: EventKind; by: By | null } & (
  | { what: "entity"; entity: Entity; texts: readonly string[]; step: Step | null }
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
      /** The one that an alert was set up with: for its Project alone. */
      binding?: string;
    }
  | { what: "task_wanted"; entity: Entity; title: string; detail: string; reply: Record<string, string> | null }
  | { what: "links"; urls: readonly string[]; text: string; reply: Record<string, string> }
);
/** What it says of the connection itself. */
export type Ended = { what: "removed" } | { what: "resources_changed" };

export interface Delivery {
  /** The provider's own id of it; null: the digest of its body stands in. */
  key: string | null;
  /** Our installation's external id, where one address serves all of them; null where the address names it. */
  account: string | null;
  /** What is worked in order: the resource that it is about; empty where it is about none. */
  lane: string;
  kind: string;
}

export interface Webhook {
  /** Seconds after which a signed time is too old; null: the provider signs none, and its state is read again before anything is done. */
  age: number | null;
  /** In constant time, over the body as it came. `secrets`: of the app or of the installation. */
  verify(headers: SentHeaders, body: Buffer, secret: string, now: Date): boolean;
  /** What is answered to what is not kept: the provider only asks whether we are there, or says what nobody can want. Null where it is a delivery. */
  challenge?(body: unknown): Record<string, string> | null;
  /** Null where it is none that could be told apart. `body` is parsed: JSON, or the fields of a form. */
  read(headers: SentHeaders, body: unknown): Delivery | null;
  /** Nothing where it means nothing to us. */
  happened(kind: string, body: unknown): readonly (Happened | Ended)[];
}

export interface Done {
  externalId: string;
  url: string | null;
}
export interface Action {
  name: string;
  input: TSchema;
  /** Whether the provider takes a key, so that the same call twice has one effect. */
  keyed: boolean;
  /** `marker` is written into what is made where there is no key, so that it can be found again. */
  perform(ask: Ask, resource: Resource, input: never, marker: string): Promise<Done>;
  /** What an earlier attempt with this marker and input has made; null: nothing. Absent: it cannot be looked for. */
  find?(ask: Ask, resource: Resource, marker: string, input: never): Promise<Done | null>;
  /** What is wrong with an input, where somebody else has declared what it must be. */
  faults?(input: Readonly<Record<string, unknown>>): Fault[];
}

/** One of its actions, and with what. */
export interface Telling {
  action: string;
  input: Record<string, unknown>;
}
type Shown = Pick<Entity, "kind" | "externalId" | "url">;
/** How it is told what happens here; what it has no way for is not told. */
export interface Tells {
  /** To everybody at the resource. */
  announce?(text: string): Telling;
  /** At what stands at the Task. */
  comment?(entity: Shown, text: string): Telling | null;
  resolve?(entity: Shown): Telling | null;
  /** To whoever said something there; `to` is what the delivery told of where. */
  reply?(to: Readonly<Record<string, string>>, text: string): Telling | null;
  /** What links in something that was said lead to. */
  unfurl?(to: Readonly<Record<string, string>>, links: readonly Preview[]): Telling | null;
}
export interface Preview {
  url: string;
  title: string;
  text: string;
}

/** How somebody is sent to the provider and comes back. */
export interface Roundtrip {
  authorizeUrl(
    app: App,
    way: { base: string; state: string; challenge: string; redirectUri: string; purpose: Purpose },
  ): string;
  /**
   * Exchanges the code. An installation counts only where the person's own token lists it: what the address says (`named`) proves nothing. Throws where
   * anything about it is wrong.
   */
  arrive(
    ask: (tokens?: Tokens) => Ask,
    app: App,
    back: { code: string; verifier: string; redirectUri: string; purpose: Purpose; named: string | null },
  ): Promise<Arrived>;
  /** Absent: its tokens do not end by themselves. */
  refresh?(ask: Ask, app: App, tokens: Tokens): Promise<Tokens>;
  revoke?(ask: Ask, app: App, tokens: Tokens): Promise<void>;
}
export type Purpose = "installation" | "identity";

export interface Connection {
  /** With which headers a token is sent. */
  authorize(tokens: Tokens): Record<string, string>;
  /** Where its API is, of a provider that is reached at `base`. */
  api(base: string): string;
  roundtrip?: Roundtrip;
  /** With the secret of the installation. */
  signing?(secret: string): Signing;
  /** Of a credential that somebody pastes: whose account it is. Throws where it is refused. */
  enter?(ask: Ask): Promise<Party & { managementUrl: string | null }>;
  /** Nothing is asked there: whoever connects it gets a secret of ours. */
  opens?: true;
  /** The account lists more than whoever connects it may see: only what their own token has listed is kept in step with it. */
  listsMore?: true;
  /** All that it lists, page after page, a thousand at most. */
  resources(ask: Ask, installation: { externalId: string; name: string }): Promise<Resource[]>;
  /** Whether somebody may write to the resource there. */
  collaborates?(ask: Ask, resource: Resource, person: Party): Promise<boolean>;
  /** Of a provider whose webhooks are registered for each resource. */
  hook?: {
    register(ask: Ask, resource: Resource, url: string, secret: string): Promise<string>;
    remove(ask: Ask, resource: Resource, externalId: string): Promise<void>;
  };
  /** How an entity is now; null: it is gone. For what a signature without a time tells, and for what is looked at again. */
  look?(ask: Ask, resource: Resource, entity: Pick<Entity, "kind" | "externalId">): Promise<Looked | null>;
  /** Of a provider whose deliveries do not prove who said what: a comment as it stands there, and whose it is. Null: it is not for everybody there. */
  hear?(
    ask: Ask,
    resource: Resource,
    on: Pick<Entity, "kind" | "externalId">,
    commentId: string,
  ): Promise<{ text: string; by: Party } | null>;
}

export interface Provider {
  key: string;
  name: string;
  authorization: "oauth" | "app" | "credential";
  scopes: readonly string[];
  /** What INTEGRATIONS_FILE must say of it, for more than a credential that somebody gives; empty: it works without. */
  needs: readonly string[];
  /** Where it is, unless the operator or an authorisation says; null: it has no address of its own. */
  base: string | null;
  /** People host it themselves: a credential may come with the address. */
  selfHosted: boolean;
  /** Whether people link who they are there. */
  identities: boolean;
  /** Which kinds of events it can bring, and be told. */
  events: readonly EventKind[];
  actions: Readonly<Record<string, Action>>;
  /** What one installation has declared that it can do, in place of `actions`. */
  declares?(declared: unknown): Readonly<Record<string, Action>>;
  tells?: Tells;
  /** What of it a text links to, that can be looked at; `look` says what it is. */
  links?(text: string): readonly Pick<Entity, "kind" | "externalId">[];
  /** Calls a minute that it allows. */
  perMinute: number;
  connection: Connection;
  webhook: Webhook | null;
  /** With whose secret deliveries are signed: one of the app for all installations, or one of each; null: it sends none. */
  secretOf: "app" | "installation" | null;
  /** Of the app's secret: what INTEGRATIONS_FILE calls it. */
  appSecret?: string;
  /** Whoever connects it may say that it signs with a secret of its own in place of ours: how that is kept, so that `verify` knows. */
  ownSecret?(secret: string): string;
}

/** Whether the operator has said all that it needs. */
export const isRegistered = ({ key, needs }: Pick<Provider, "key" | "needs">, apps: Apps) =>
  needs.every((name) => apps[key]?.[name] !== undefined);
/** Whether it can be connected; where the operator has not registered it, with a credential alone. */
export const isAvailable = (provider: Pick<Provider, "key" | "needs" | "connection">, apps: Apps) =>
  isRegistered(provider, apps) || provider.connection.enter !== undefined;
/** Where it is: at an address of one's own, at the one that the operator has named, or where it always is. */
export const baseOf = ({ key, base }: Pick<Provider, "key" | "base">, apps: Apps, own: string): string | null =>
  own || (apps[key]?.url ?? base);
