// COPY in both directions over the driver's own connection, as PostgreSQL's text format in chunks. Both sides apply
// back-pressure, so that a table of any size takes the same small amount of memory.
import pg from "pg";

/** Internals of pg that its types do not declare. */
interface Wire {
  stream: NodeJS.WritableStream & {
    pause(): void;
    resume(): void;
    writableNeedDrain: boolean;
    destroyed: boolean;
  };
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}
const Query = pg.Query as unknown as new (
  text: string,
) => NodeJS.EventEmitter & { handleReadyForQuery(wire: Wire): void };

/** Chunk size in bytes, approximately; a row is never split. */
const PIECE = 256 * 1024;

class Out extends Query {
  pieces: Buffer[] = [];
  ended = false;
  fault: Error | null = null;
  rows = 0;
  private held: Buffer[] = [];
  private size = 0;
  private wire: Wire | null = null;
  private wake = () => {};

  handleCopyData({ chunk }: { chunk: Buffer }, wire: Wire) {
    this.wire = wire;
    // The driver reuses the buffer of a chunk, so it is copied.
    this.held.push(Buffer.from(chunk));
    this.size += chunk.length;
    if (this.size < PIECE) return;
    this.pass();
    wire.stream.pause();
  }
  private pass() {
    if (this.size > 0) this.pieces.push(Buffer.concat(this.held));
    this.held = [];
    this.size = 0;
    this.wake();
  }
  handleCommandComplete({ text }: { text: string }) {
    this.rows = Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0);
  }
  override handleReadyForQuery(wire: Wire) {
    this.ended = true;
    // The end may have arrived together with the chunk that paused the stream, and the next statement needs the stream.
    wire.stream.resume();
    this.pass();
  }
  handleError(error: Error) {
    this.fault = error;
    this.wire?.stream.resume();
    this.wake();
  }
  /** Resolves to the next chunk; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const piece = this.pieces.shift();
      if (piece) return piece;
      if (this.fault) throw this.fault;
      if (this.ended) return undefined;
      const woken = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      this.wire?.stream.resume();
      await woken;
    }
  }
}

/** Yields the rows of a table or query in chunks; returns the number of rows. */
export async function* copyOut(client: pg.Client, what: string): AsyncGenerator<Buffer, number> {
  const out = new Out(`copy ${what} to stdout`);
  client.query(out as never);
  for (let piece = await out.next(); piece; piece = await out.next()) yield piece;
  return out.rows;
}

class In extends Query {
  private readonly source: AsyncIterable<Uint8Array>;
  private readonly done: (fault: Error | null, rows: number) => void;
  private rows = 0;
  private fault: Error | null = null;
  constructor(text: string, source: AsyncIterable<Uint8Array>, done: (fault: Error | null, rows: number) => void) {
    super(text);
    this.source = source;
    this.done = done;
  }
  handleCopyInResponse(wire: Wire) {
    this.send(wire).then(
      () => wire.endCopyFrom(),
      (error) => {
        this.fault ??= error;
        wire.sendCopyFail("the source ended");
      },
    );
  }
  private async send(wire: Wire): Promise<void> {
    for await (const piece of this.source) {
      // The server has already reported a fault, or is gone.
      if (this.fault || wire.stream.destroyed) return;
      wire.sendCopyFromChunk(piece);
      if (!wire.stream.writableNeedDrain) continue;
      await new Promise<void>((resolve) => {
        const go = () => {
          wire.stream.off("drain", go).off("close", go);
          resolve();
        };
        wire.stream.on("drain", go).on("close", go);
      });
    }
  }
  handleCommandComplete({ text }: { text: string }) {
    this.rows = Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0);
  }
  override handleReadyForQuery(_wire: Wire) {
    this.done(this.fault, this.rows);
  }
  handleError(error: Error) {
    this.fault ??= error;
    this.done(this.fault, 0);
  }
}

/** Copies into a table, `what` being its name and columns; resolves to the number of rows. */
export const copyIn = (client: pg.Client, what: string, source: AsyncIterable<Uint8Array>): Promise<number> =>
  new Promise((resolve, reject) => {
    client.query(
      new In(`copy ${what} from stdin`, source, (fault, rows) => (fault ? reject(fault) : resolve(rows))) as never,
    );
  });
