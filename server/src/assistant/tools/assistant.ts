// Tools of the assistant inside the service only, which MCP does not list: semantic search of the index, and reminders,
// which need a confirmation.
import Type from "typebox";
import { Code, closed, Page, reads, text } from "./arguments.ts";
import { namesOf, type PassagePlace } from "./place-view.ts";
import { type Tool, tool } from "./tool.ts";
import { compact, UNTRUSTED, Untrusted } from "./tool-output.ts";

const readsPlaces = ["searchKnowledge", "resolveReferences"];

const lookUp = tool({
  name: "look_up",
  description:
    "Find passages about a question by meaning: Tasks, comments, Documents and files, word for word with where " +
    "they stand. Use it before find.",
  operations: [...readsPlaces, "search"],
  scopes: ["svc:read", "svc:knowledge:read"],
  annotations: reads,
  input: Type.Object({ question: text(200) }, closed),
  output: Type.Object({ ...Untrusted, items: Type.Array(Type.Object({ kind: Type.String() })), ...Page }),
  async run({ call }, { question }) {
    const passages = (await call("searchKnowledge", { query: { q: question } })).body.items;
    const names = await namesOf(call, passages);
    const items = passages.flatMap(({ id, passage, ...place }: PassagePlace & { passage: string }) => {
      const named = names.get(id);
      return named ? [compact({ ...place, ...named, text: passage })] : [];
    });
    if (items.length > 0) return { ...UNTRUSTED, items };
    // Falls back to search if the index has nothing near that this person sees.
    const found = (await call("search", { query: { q: question, limit: 10 } })).body.items;
    return {
      ...UNTRUSTED,
      items: found.map(({ kind, code, path, title, snippet }: Record<string, string>) =>
        compact({ kind, code, path, title, text: snippet }),
      ),
      more: "Found by words alone: read what helps with get_task or get_document.",
    };
  },
});

const Remind = Type.Object(
  {
    text: text(500),
    due_at: text(40, "RFC 3339, with the offset of the person's time zone"),
    code: Type.Optional(Code),
  },
  closed,
);
const remind = tool({
  name: "remind",
  description: "Remind the person at a time, of a Task by its code or of anything. They are asked first.",
  operations: ["createReminder", "getTaskByCode"],
  scopes: ["svc:discuss"],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  ownResult: true,
  input: Remind,
  output: Type.Object({ id: Type.String(), due_at: Type.String() }),
  async run({ call, key }, args) {
    const { text, due_at, code } = args;
    const task = code && (await call("getTaskByCode", { params: { task_code: code } })).body;
    const body = { text, due_at, ...(task && { target: { kind: "task", id: task.id } }), confirmed: true };
    const { body: set } = await call("createReminder", { body, key: await key() });
    return { id: set.id, due_at: set.due_at };
  },
});

export const ownAssistantTools: readonly Tool[] = [lookUp, remind];
