// Context of a turn for a model: attachments and pinned references as data, read under the person's present rights.
import { isKnowledgeVersion } from "../../../knowledge/search/view.ts";
import type { OperationCaller } from "../../tools/operation-calls.ts";
import { compact } from "../../tools/tool-output.ts";
import { attachedTo } from "../attachments/attached-files.ts";
import type { AnswerRequest } from "./answer.ts";

const MOST = 20_000;
// biome-ignore lint/suspicious/noExplicitAny: rows as their operations answer them.
type Row = any;

export async function contextOf(asked: AnswerRequest): Promise<string> {
  const files = (await attachedTo(asked)).map(({ filename, text }) => ({ file: filename, text: text ?? "(no text)" }));
  const pinned = await pinnedTo(asked);
  if (files.length + pinned.length === 0) return "";
  return `\n\n<data>\n${JSON.stringify([...pinned, ...files])
    .slice(0, MOST)
    .replaceAll("</data>", "")}\n</data>`;
}

async function pinnedTo({ run, gate }: AnswerRequest): Promise<unknown[]> {
  const pins = run.input.metadata.filter(({ kind }) => kind !== "turn_preferences");
  if (pins.length === 0) return [];
  const read = async (call: OperationCaller) => {
    const shown: unknown[] = [];
    for (const pin of pins) {
      if (pin.kind === "task_selection") {
        const { body } = await call("hydrateTaskSelection", { params: { id: pin.selection_id } });
        shown.push(
          ...body.items.flatMap(({ task }: Row) =>
            task ? [compact({ code: task.code, title: task.title, due_date: task.due_date })] : [],
          ),
        );
      }
      if (pin.kind === "evidence_collection") {
        const { body } = await call("hydrateEvidence", { params: { id: pin.id }, query: { version: pin.version } });
        shown.push(...body.items.flatMap(({ kind, text }: Row) => (text === null ? [] : [{ kind, text }])));
      }
      if (pin.kind === "search_result" && isKnowledgeVersion(pin.result_version)) {
        const { body } = await call("searchKnowledge", { query: { q: pin.query } });
        shown.push(...body.items.map(({ kind, passage }: Row) => ({ kind, text: passage })));
      } else if (pin.kind === "search_result") {
        const { body } = await call("search", { query: { q: pin.query } });
        shown.push(...body.items.map(({ code, path, title, snippet }: Row) => compact({ code, path, title, snippet })));
      }
    }
    return shown;
  };
  return gate.look({ pins }, read, true);
}
