// Public interface of a Document's content: schema, Markdown in, Markdown out, plain text. Pure: server and browser
// share it.
export { check, InvalidContent } from "./check.ts";
export { fromMarkdown } from "./from-markdown.ts";
export { requireWithinLimits, TooComplex } from "./limits.ts";
export { type DocumentJson, type MarkJson, type Mentioned, type NodeJson, schema } from "./schema.ts";
export { attachmentsOf, type Reference, referencesOf, toText } from "./text.ts";
export { toMarkdown } from "./to-markdown.ts";
