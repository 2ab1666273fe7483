// Scalars and shapes shared by all resources. Every string that a caller can send has a maximum length and a character
// set: nothing reaches the database that it cannot store, or that a terminal or log would interpret.
import Type, { type Static, type TSchema } from "typebox";
import { Capability } from "./capabilities.ts";
import { isPlain, isVisible } from "./plain-name.ts";

/**
 * Our own string formats, which search for invalid characters: a pattern over 262,144 characters would backtrack. NUL
 * and lone surrogates cannot be stored; a terminal or log would interpret other control characters.
 */
export const formats: Record<string, (value: string) => boolean> = {
  line: (value) => !/\p{Cc}/u.test(value) && value.isWellFormed(),
  plain: isPlain,
  name: (value) => isVisible(value) && isPlain(value),
  title: (value) => isVisible(value) && (formats.line?.(value) ?? false),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  text: (value) => !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(value) && value.isWellFormed(),
  body: (value) => isVisible(value) && (formats.text?.(value) ?? false),
  uuid: (value) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
  "time-zone": isTimeZone,
  "milestone-code": (value) => {
    const [, number] = /^(?:[a-z][a-z0-9]{1,9}-m)?([1-9]\d{0,18})$/i.exec(value) ?? [];
    return number !== undefined && BigInt(number) < 2n ** 63n;
  },
  language: (value) => canonicalLanguage(value) !== undefined,
};

/** Time zone names that the runtime accepts and IANA does not have: the database rejects them. */
const NO_ZONE =
  /^(?:(?!(?:CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$)[A-Z]{3}|US\/Pacific-New|Canada\/East-Saskatchewan)$/i;
/** Accepts names such as Europe/Berlin or UTC; rejects offsets and names that the runtime does not know. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*)*$/.test(name) || NO_ZONE.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The canonical spelling of a language tag (de-ch: de-CH); undefined if it is invalid. */
export function canonicalLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

export const Id = Type.String({ format: "uuid", description: "Opaque identifier (UUIDv7)." });
export const Timestamp = Type.String({ format: "date-time", description: "RFC 3339, UTC, milliseconds." });
/** A timestamp in a request. It rejects values that the database cannot read, such as the year 0. */
export const Moment = Type.String({
  format: "date-time",
  pattern: "^(?!0000)[-\\d]{10}[Tt ][:\\d]{8}(?:\\.\\d{1,9})?(?:[Zz]|[+-](?:0\\d|1[0-5]):\\d\\d)$",
  description: "RFC 3339.",
});
export const Day = Type.String({ format: "date", pattern: "^[12]\\d{3}-", description: "Calendar date." });
export const Revision = Type.String({
  maxLength: 19,
  pattern: "^\\d{1,19}$",
  description: "Decimal revision; the ETag is the same number quoted.",
});
/** Derived from role, credential, and the state of the resource and its container. */
export const Capabilities = Type.Array(Capability, {
  description: "Actions that the caller may do now, with this credential.",
});

/** A short name that others see. Characters that are hidden or reorder the surrounding text are rejected. */
export const Name = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: "name" });
/** Longer text on one line, or a search term. A renderer must isolate it from the surrounding text direction. */
export const Title = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: "title" });
/** A password or code that a person types to sign in: a value that no account can have is wrong, not malformed. */
export const Typed = Type.String({ maxLength: 4_194_304 });
export const Line = (maxLength: number) => Type.String({ maxLength, format: "line" });
/** In characters. */
export const MOST_MARKDOWN = 262_144;
const markdown = {
  maxLength: MOST_MARKDOWN,
  /** Nesting depth of quotes and lists. */
  "x-max-nesting": 64,
  description: "Markdown, safe profile, stored raw.",
};
export const MarkdownText = Type.String({ ...markdown, format: "text" });
export const MarkdownBody = Type.String({ ...markdown, minLength: 1, format: "body" });

/** The body of an operation with `raw`. */
export const Bytes = Type.Unsafe<Uint8Array>({ description: "The file itself." });
/** Declaration of a picture upload. */
export const pictureFile = {
  types: ["image/jpeg", "image/png", "image/webp", "image/gif"],
  bytes: 5 * 1024 * 1024,
} as const;

export const Email = Type.String({ format: "email", minLength: 3, maxLength: 254 });
/** Path of a page of the web application that a browser may return to. */
export const PagePath = Type.String({
  maxLength: 500,
  pattern: "^/(?:account|security|workspaces(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+)?$",
});
export const Slug = Type.String({
  minLength: 1,
  maxLength: 48,
  pattern: "^[a-z0-9]+(?:-+[a-z0-9]+)*$",
  description: "Lowercase letters, digits and interior hyphens.",
});
export const Username = Type.String({
  minLength: 1,
  maxLength: 30,
  pattern: "^[a-z0-9]+(?:-+[a-z0-9]+)*$",
  description: "Lowercase letters, digits and interior hyphens; unique in the service.",
});
export const TimeZone = Type.String({
  minLength: 1,
  maxLength: 100,
  format: "time-zone",
  description: "IANA name, for example Europe/London.",
});
export const Language = Type.String({
  minLength: 2,
  maxLength: 35,
  format: "language",
  description: "Language tag (BCP 47), kept in its canonical spelling: de-CH.",
});
export const ProjectKey = Type.String({
  minLength: 2,
  maxLength: 10,
  pattern: "^[A-Za-z][A-Za-z0-9]*$",
  description: "Immutable; normalised to uppercase; unique in the Workspace for ever.",
});
export const TaskCode = Type.String({
  minLength: 4,
  maxLength: 28,
  pattern: "^[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]{0,16}$",
  description: "PROJECT_KEY-TASK_NUMBER, normalised to uppercase.",
});
export const MilestoneCode = Type.String({
  minLength: 5,
  maxLength: 29,
  format: "milestone-code",
  examples: ["ENG-M1"],
  pattern: "^[A-Z][A-Z0-9]{1,9}-M[1-9][0-9]{0,18}$",
  description: "PROJECT_KEY-M and the number within the Project: positive, 64 bits, no leading zeros.",
});
/** Path parameter: a Milestone code, with or without its Project's key. */
const MilestonePathCode = Type.String({
  minLength: 1,
  maxLength: 29,
  format: "milestone-code",
  pattern: "^(?:[A-Za-z][A-Za-z0-9]{1,9}-[Mm])?[1-9][0-9]{0,18}$",
  description: "PROJECT_KEY-M and the number, normalised to uppercase; within its Project the number alone is enough.",
});
/** Path parameter, wider than a key can be: a value that is no key is not found, not malformed. */
const ProjectCode = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^[A-Za-z0-9]+$",
  description: "Key of the Project, regardless of case.",
});
export const Reaction = Type.String({
  minLength: 1,
  maxLength: 32,
  pattern: "^[a-z0-9_+-]+$",
  description: "Emoji short name, for example heart, thumbsup or tada.",
});
export const Color = Type.String({
  maxLength: 16,
  pattern:
    "^(?:(?:slate|gray|red|orange|amber|yellow|lime|green|emerald|teal|cyan|sky|blue|indigo|violet|purple|fuchsia|pink|rose)(?:-(?:50|[1-9]00|950))?|#[0-9A-Fa-f]{6})$",
  description:
    "A color family (`blue`), a family with a pinned shade (`blue-700`) or a legacy six-digit hex (`#1d4ed8`).",
});

export const roles = ["owner", "admin", "member", "viewer"] as const;
export const Role = Type.Enum([...roles]);
export const membershipStates = ["invited", "active", "suspended", "removed", "left"] as const;
export const MembershipState = Type.Enum([...membershipStates]);
export const projectRoles = ["lead", "member", "viewer"] as const;
export const ProjectRole = Type.Enum([...projectRoles]);
/** Filter for people: matches the beginning of a username or of any word of a name. */
export const NameBeginning = Type.String({
  minLength: 1,
  maxLength: 100,
  format: "title",
  description:
    "Only active members whose username or display name, or a later word of it, begins with this text, " +
    "regardless of case and accents. They are ordered by name, and a page may hold fewer items than " +
    "its limit, even none, while has_more is true.",
  examples: ["ad"],
});
/** URL of a person's picture. */
export const PictureUrl = {
  ...nullable(Type.String()),
  description: "Address from the root of this service; null: there is none.",
  examples: [null],
};
export const Priority = Type.Enum(["none", "low", "medium", "high", "urgent"]);
export const Category = Type.Enum(["backlog", "unstarted", "started", "completed", "cancelled"]);
/** Long enough for a cursor that contains the longest title. */
export const MOST_CURSOR = 4096;
export const ListOrder = Type.Enum(["asc", "desc"], { description: "Ascending or descending." });
export const Visibility = Type.Enum(["workspace", "private"]);
export const WeekStart = Type.Enum(["monday", "saturday", "sunday"]);
export const Scope = Type.Enum(["svc:read", "svc:write", "svc:discuss"]);

/** A value or null, as one schema with two types, so that a validation error points at the value. */
export function nullable<X extends TSchema>(schema: X) {
  const { type, enum: allowed, ...rest } = schema as { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<X> | null>({
    ...rest,
    ...(type ? { type: [type, "null"] } : {}),
    ...(allowed ? { enum: [...allowed, null] } : {}),
  });
}

const ANY_ID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";
const MOST_VALUES = 50;
interface Several {
  /** Allowed words. Default: ids. */
  of?: readonly string[];
  /** `none` is an allowed value, for a field that may be empty. */
  none?: true;
  /** All values must match, and there is no negation. */
  all?: true;
  /** Name of the listed items, if they are not Tasks. */
  listed?: string;
  description?: string;
}
/** A filter by several values in one string; the server parses it in platform/wire/input/value-filter.ts. */
export function several({ of, none, all, listed = "Tasks", description }: Several = {}) {
  const value = `(?:${[...(none ? ["none"] : []), ...(of ?? [ANY_ID])].join("|")})`;
  const longest = Math.max(...(of ?? ["-".repeat(36)]).map(({ length }) => length));
  const words = [
    description,
    `One or up to ${MOST_VALUES}, separated by commas${of ? `: ${of.join(", ")}` : ""}.`,
    none && `none finds ${listed} without one.`,
    !all && "A leading ! excludes the values.",
  ];
  return Type.String({
    minLength: 1,
    maxLength: MOST_VALUES * (longest + 1),
    pattern: `^${all ? "" : "!?"}${value}(?:,${value}){0,${MOST_VALUES - 1}}$`,
    description: words.filter(Boolean).join(" "),
    examples: [of?.[0] ?? "01980000-0000-7000-8000-000000000001"],
  });
}

const closed = { additionalProperties: false } as const;
/** Object schemas refuse unknown fields. */
export const object = <P extends Record<string, TSchema>>(
  properties: P,
  options: { examples?: unknown[]; minProperties?: number; description?: string; variants?: object[] } = {},
) => Type.Object(properties, { ...closed, ...options });
/** The body of a PATCH: every field is optional, and at least one must be present. */
export const patch = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Partial(Type.Object(properties), { ...closed, minProperties: 1 });

/** Adds `capabilities` to a row: a single-resource answer has them, a list row does not. */
export const single = <P extends Record<string, TSchema>>(row: Type.TObject<P>) =>
  Type.Object({ ...row.properties, capabilities: Capabilities }, closed);

/** The body of a move within a manual order. */
export const Placement = object(
  { after_id: nullable(Id) },
  { description: "The one to come after; null is the first place." },
);

/** Fields of every mutable resource. */
export const resource = { id: Id, revision: Revision, created_at: Timestamp, updated_at: Timestamp };
/** Fields of a Workspace's policy. Before the first change, a read answers the defaults at revision "0". */
export const policy = {
  workspace_id: Id,
  revision: Revision,
  updated_at: { ...nullable(Timestamp), description: "Time of the last change; null until the first one." },
};

/** Not an enumeration: an unknown kind is a missing page, not a malformed request. */
const LinkKind = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "email_verification, password_reset, email_change or invitation.",
});

export const Provider = Type.Enum(["google", "microsoft", "apple"]);
/** Path parameter: an unknown provider is not found, like one that is not configured. */
const ProviderName = Type.String({
  minLength: 1,
  maxLength: 32,
  pattern: "^[a-z]+$",
  description: "google, microsoft or apple, where configured.",
});

/** Public identifier: 22 characters of base62 hold more than 128 bits. */
export const PublicId = Type.String({
  minLength: 22,
  maxLength: 22,
  pattern: "^[0-9A-Za-z]+$",
  examples: ["4pW0ZQm8yTjH2cVx6RkLb1"],
});

/** Categories of notifications; each is switched independently. */
export const notificationCategories = [
  ...(["assigned", "mentioned", "commented", "status_changed", "review_requested", "due_soon"] as const),
  ...(["project_updates", "reminder", "request_received", "request_decided", "webhook_disabled"] as const),
] as const;
export type NotificationCategory = (typeof notificationCategories)[number];
/** Path parameter: an unknown category is not found. */
const CategoryName = Type.String({
  minLength: 1,
  maxLength: 32,
  pattern: "^[a-z_]+$",
  description: `${notificationCategories.slice(0, -1).join(", ")} or ${notificationCategories.at(-1)}.`,
});

/** Path parameter, wider than what can be chosen today: no existing username is malformed. */
const PathUsername = Type.String({ minLength: 1, maxLength: 64, pattern: "^[a-z0-9-]+$" });

/** Path parameter: an unknown kind is not found. */
const TargetKind = Type.String({
  minLength: 1,
  maxLength: 32,
  pattern: "^[a-z_]+$",
  description: "task, project or document.",
});

/** Path parameter, limited to what the database can store. */
const PathRevision = Type.String({
  minLength: 1,
  maxLength: 18,
  pattern: "^[1-9][0-9]*$",
  examples: ["1"],
  description: "Decimal revision.",
});

/** Path parameter with slashes between its segments, which may be percent-encoded. */
const DocumentPath = Type.String({
  minLength: 1,
  maxLength: 200,
  format: "line",
  examples: ["handbook/how-we-plan"],
  description: "Titles from the top, as words of a URL.",
});

/** A receipt's id or an Idempotency-Key: a caller that lost the answer to a write knows only its key. */
export const ReceiptId = Type.String({
  minLength: 16,
  maxLength: 200,
  pattern: "^[\\x21-\\x7e]+$",
  description: "The command's id (X-Svc-Command-ID), or the Idempotency-Key that the write was sent with.",
});

export const ProviderKey = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: "^[a-z][a-z0-9_]*$",
  examples: ["webhook"],
  description: "Key of a provider in the catalogue.",
});

/** Schemas of path parameters by name; by `<collection>.<name>` if a name has several meanings. */
const params: Record<string, TSchema> = {
  task_code: TaskCode,
  milestone_code: MilestonePathCode,
  project_code: ProjectCode,
  reaction: Reaction,
  kind: LinkKind,
  provider: ProviderName,
  provider_key: ProviderKey,
  username: PathUsername,
  public_id: PublicId,
  category: CategoryName,
  revision: PathRevision,
  target_kind: TargetKind,
  document_path: DocumentPath,
  "operation-receipts.id": ReceiptId,
  "billing.provider": Type.String({ ...ProviderName, description: "stripe, where configured." }),
};
/** Schema of a path parameter, and the key that it is registered under. */
export function paramOf(path: string, name: string): { name: string; schema: TSchema } {
  const place = `${path.split(`/{${name}}`)[0]?.split("/").at(-1)}.${name}`;
  return params[place] ? { name: place, schema: params[place] } : { name, schema: params[name] ?? Id };
}

/** The registered kinds of activity. An event that maps to none never appears in a feed. */
export const activityTypes = [
  "progress",
  "ownership",
  "deadline",
  "priority",
  "milestone",
  "description",
  "blocking_dependency",
  "comment",
  "document",
  "project",
] as const;
export type ActivityType = (typeof activityTypes)[number];
