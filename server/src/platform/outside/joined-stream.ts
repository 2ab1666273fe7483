// Merges the text deltas that a model provider streams, because the library that parses them takes a quarter of a
// millisecond for each. The first delta passes at once; later ones are batched, no longer than the display of an answer
// is. Any other event passes unchanged, after the text before it.

/**
 * Interval between two batches. With many concurrent streams each waits longer, so that a process handles 40 batches a
 * second in total.
 */
const PIECE_MS = 150;
const PIECE_MS_EACH = 25;
let streams = 0;

/** A server-sent event that contains only a text delta, with a function that replaces its text. */
interface Piece {
  /** Part that the text belongs to: deltas of different parts are not merged. */
  of: string;
  text: string;
  written(text: string): string;
}

const known = (value: object, names: readonly string[]) => Object.keys(value).every((name) => names.includes(name));
// biome-ignore lint/suspicious/noExplicitAny: it is looked at part by part.
type Any = any;

/** Parses a delta in the format of openai or anthropic; null for any other event. */
function pieceOf(event: string): Piece | null {
  const lines = event.split("\n");
  const data = lines.filter((line) => line.startsWith("data:"));
  const [line] = data;
  if (data.length !== 1 || line === undefined || line.includes("[DONE]")) return null;
  let value: Any;
  try {
    value = JSON.parse(line.slice("data:".length));
  } catch {
    return null;
  }
  const written = (changed: object) =>
    lines.map((each) => (each === line ? `data: ${JSON.stringify(changed)}` : each)).join("\n");
  if (value?.type === "content_block_delta" && value.delta?.type === "text_delta" && value.delta.text)
    return {
      of: `block ${value.index}`,
      text: value.delta.text,
      written: (text) => written({ ...value, delta: { ...value.delta, text } }),
    };
  const [choice, ...more] = Array.isArray(value?.choices) ? (value.choices as Any[]) : [];
  if (!choice || more.length > 0 || value.usage || (choice.finish_reason ?? null) !== null) return null;
  const { delta } = choice;
  if (typeof delta?.content !== "string" || delta.content === "" || !known(delta, ["content", "role"])) return null;
  return {
    of: `choice ${choice.index}`,
    text: delta.content,
    written: (content) => written({ ...value, choices: [{ ...choice, delta: { ...delta, content } }] }),
  };
}

interface Held {
  piece: Piece;
  text: string;
}
/** Yields the same stream in fewer chunks. */
export async function* joined(body: AsyncIterable<Buffer>, now = () => performance.now()): AsyncGenerator<Buffer> {
  streams++;
  const decoder = new TextDecoder();
  let rest = "";
  let held = null as Held | null;
  let passed = Number.NEGATIVE_INFINITY;
  const release = () => {
    const text = held ? `${held.piece.written(held.text)}\n\n` : "";
    held = null;
    passed = now();
    return text;
  };
  const arrived = body[Symbol.asyncIterator]();
  try {
    const ask = () => {
      const asked = arrived.next();
      // The caller may stop before this promise settles; a rejection must not go unhandled.
      asked.catch(() => {});
      return asked;
    };
    let next = ask();
    for (;;) {
      const due = passed + Math.max(PIECE_MS, PIECE_MS_EACH * streams) - now();
      let chunk: IteratorResult<Buffer> | null;
      try {
        chunk = held ? await within(next, Math.max(0, due)) : await next;
      } catch (error) {
        // Text that arrived before the stream broke off is still delivered.
        if (held) yield Buffer.from(release());
        throw error;
      }
      if (chunk === null) {
        yield Buffer.from(release());
        continue;
      }
      if (chunk.done) break;
      next = ask();
      let out = "";
      const events = (rest + decoder.decode(chunk.value, { stream: true })).replaceAll("\r\n", "\n").split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const piece = pieceOf(event);
        if (held && held.piece.of !== piece?.of) out += release();
        const before = held as Held | null;
        if (!piece) out += `${event}\n\n`;
        else held = { piece: before?.piece ?? piece, text: (before?.text ?? "") + piece.text };
      }
      if (held && now() - passed >= Math.max(PIECE_MS, PIECE_MS_EACH * streams)) out += release();
      if (out !== "") yield Buffer.from(out);
    }
    const last = release() + rest;
    if (last !== "") yield Buffer.from(last);
  } finally {
    streams--;
    await arrived.return?.();
  }
}

/** Resolves to null after `ms`; the work continues. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
