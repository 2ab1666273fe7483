// Example values for the reference, derived from the schemas: every operation has one, and none can become outdated.
// The same input always gives the same example, and a test validates each against its schema. A schema's own `examples`
// take precedence.
import type { TSchema } from "typebox";

export interface Plain {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  examples?: unknown[];
  properties?: Record<string, Plain>;
  required?: string[];
  items?: Plain;
  anyOf?: Plain[];
  /**
   * Alternatives of which a value matches exactly one: `oneOf` in the OpenAPI document. The service validates them
   * itself.
   */
  variants?: Plain[];
  minimum?: number;
  minLength?: number;
  [keyword: string]: unknown;
}

/** By field name, or by resource and field where one name means several things. */
const byName: Record<string, unknown> = {
  action: "activity.task.created",
  actor_name: "Ada",
  authorization_url: "https://accounts.example.com/authorize?client_id=svc&state=dGhlIHN0YXRl",
  capabilities: ["work:read", "work:write"],
  code: "ENG-1",
  count: 1,
  created_at: "2026-05-04T09:30:00.000Z",
  csrf_token: "q0Kk3mJ7mX2m8Yw4oZ1sT5uV9bN6cL0eH8gR2dF4aPs",
  description_markdown: "Forty of them, in **brass**.",
  display_name: "Ada",
  email: "ada@example.com",
  email_verified: false,
  email_proved: false,
  expires_at: "2026-08-02T09:30:00.000Z",
  has_password: true,
  key: "ENG",
  last_four: "x7Qd",
  lifecycle: null,
  locale: "en",
  markdown: "The brass arrives **tomorrow**.",
  number: 1,
  occurred_at: "2026-05-04T09:30:00.000Z",
  position: 1024,
  revision: "1",
  time_zone: "Europe/London",
  timezone: "Europe/London",
  title: "Cut the gears",
  token: "svc_pat_4pW0ZQm8yTjH2cVx6RkLb1sNf9uEoA3d2mKq1X",
  updated_at: "2026-05-04T09:30:00.000Z",
  username: "ada",
  "ApiToken.name": "nightly import",
  "CreatedApiToken.name": "nightly import",
  "Project.name": "Difference Engine",
  "ProjectRow.name": "Difference Engine",
  "Status.name": "In Progress",
  "StatusRow.name": "In Progress",
  "Status.category": "started",
  "StatusRow.category": "started",
  "Workspace.name": "Analytical Engines",
  "WorkspaceRow.name": "Analytical Engines",
  slug: "analytical-engines",
};

const byFormat: Record<string, string> = {
  "date-time": "2026-05-04T09:30:00.000Z",
  date: "2026-12-24",
  email: "ada@example.com",
};

/** A resource has the same identifier in every example: a Task's own id equals task_id in other resources. */
export function exampleId(name: string, resource = ""): string {
  const subject =
    name === "id" ? `${resource.replace(/Row$/, "").toLowerCase()}_id` : name.replace(/^.*_(?=actor_id$)/, "");
  let sum = 0;
  for (const character of subject) sum = (sum * 31 + character.charCodeAt(0)) % 0xffffff;
  return `0196a1b2-c3d4-7e5f-8a9b-${sum.toString(16).padStart(12, "0")}`;
}

/** `resource` is the schema's name, `name` the field's. */
export function exampleOf(schema: TSchema | Plain, name = "", resource = ""): unknown {
  const plain = schema as Plain;
  if (plain.examples) return plain.examples[0];
  const named = byName[`${resource}.${name}`] ?? byName[name.replace(/^.*_(?=revision$)/, "")];
  if (named !== undefined && fits(plain, named)) return named;
  if (plain.const !== undefined) return plain.const;
  const types = [plain.type ?? "string"].flat();
  if (types.includes("null")) return null;
  if (plain.enum) return plain.enum[0];
  if (plain.anyOf?.[0]) return exampleOf(plain.anyOf[0], name, resource);
  switch (types[0]) {
    case "object":
      return Object.fromEntries(
        Object.entries(plain.properties ?? {}).map(([key, value]) => [key, exampleOf(value, key, resource)]),
      );
    case "array":
      return plain.items ? [exampleOf(plain.items, name.replace(/s$/, ""), resource)] : [];
    case "boolean":
      return true;
    case "integer":
    case "number":
      return plain.minimum !== undefined && plain.minimum > 0 ? plain.minimum : 1;
    default:
      return exampleText(plain, name, resource);
  }
}

function exampleText(plain: Plain, name: string, resource: string): string {
  if (plain.format === "uuid") return exampleId(name, resource);
  return byFormat[plain.format ?? ""] ?? "text".padEnd(plain.minLength ?? 0, "-");
}

/** Rejects an example from the table whose type or enumeration does not match the schema. */
function fits(plain: Plain, value: unknown): boolean {
  if (plain.enum) return plain.enum.includes(value);
  const types = [plain.type ?? typeof value].flat();
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return types.includes(type) || (Number.isInteger(value) && types.includes("integer"));
}
