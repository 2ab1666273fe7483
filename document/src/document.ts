// A Document's content: its schema, Markdown in, Markdown out, text out, and nothing else. Pure: server and browser share it, and it reaches nothing.
export { check, InvalidContent } from "./check.ts";
export { fromMarkdown } from "./from-markdown.ts";
export { requireWithinLimits, TooComplex } from "./limits.ts";
export { type DocumentJson, type MarkJson, type Mentioned, type NodeJson, schema } from "./schema.ts";
export { attachmentsOf, type Reference, referencesOf, toText } from "./text.ts";
export { toMarkdown } from "./to-markdown.ts";
