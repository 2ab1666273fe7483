// Joins the pieces of text that a provider streams, before the library that reads them takes a quarter of a millisecond for each. The first is passed on at once; those that
// follow wait for each other as long as what is shown of an answer does. Whatever is not plain text passes as it came, behind the text before it.

/** Between two pieces. Where many answers are streamed at once, each waits longer, so that all of them together are 40 a second in a process. */
const PIECE_MS = 150;
const PIECE_MS_EACH = 25;
let streams = 0;

/** An event that brings nothing but text, and how it reads with other text. */
interface Piece {
  /** What it belongs to: text of another part is not joined with it. */
  of: string;
  text: string;
  written(text: string): string;
}

const known = (value: object, names: readonly string[]) => Object.keys(value).every((name) => names.includes(name));
// biome-ignore lint/suspicious/noExplicitAny: it is looked at part by part.
type Any = any;

/** As openai's and anthropic's; null where it is anything else. */
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
/** The same stream in fewer pieces. */
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
      // Whoever has left does not wait for it.
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
        // What it said before it broke off was said.
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

/** null: not within so many milliseconds. It is waited for on. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
