// Dot products of one vector of 384 signed bytes with many, 16 bytes at a time: a WebAssembly module with one function,
// assembled here from its instructions. The module's memory contains the vectors. Measured over 100,000 vectors: see
// docs/design/performance-log.md.

/** The part of the WebAssembly API that is used. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Memory: new (pages: { initial: number }) => { readonly buffer: ArrayBuffer; grow(pages: number): number };
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

export const DIMENSIONS = 384;
/** Dot product of a vector with itself: vectors have length 127. */
export const UNIT = 127 * 127;
/** Number of rows per call. */
const BLOCK = 1024;
const PAGE = 65_536;
/** Memory layout: the query vector, row numbers, scores, then the vectors. */
const [ASKED, ROWS, SCORES, VECTORS] = [0, 512, 512 + 4 * BLOCK, 512 + 8 * BLOCK] as const;

/** Encodes a signed number as LEB128. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; ; ) {
    const low = left & 0x7f;
    left >>= 7;
    const done = (left === 0 && (low & 0x40) === 0) || (left === -1 && (low & 0x40) !== 0);
    bytes.push(done ? low : low | 0x80);
    if (done) return bytes;
  }
}
/** Encodes sizes and indexes as unsigned LEB128. */
function size(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; ; ) {
    const low = left & 0x7f;
    left >>>= 7;
    bytes.push(left === 0 ? low : low | 0x80);
    if (left === 0) return bytes;
  }
}
const sized = (bytes: readonly number[]) => [...size(bytes.length), ...bytes];
const section = (id: number, content: readonly number[]) => [id, ...sized(content)];
const named = (name: string) => sized([...Buffer.from(name)]);

const [I32, V128] = [0x7f, 0x7b];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const i32 = (value: number) => [0x41, ...leb(value)];
const [ADD, MULTIPLY, SHIFT_LEFT, LESS] = [0x6a, 0x6c, 0x74, 0x48];
const load32 = [0x28, 2, 0];
const store32 = [0x36, 2, 0];
const simd = (code: number, ...operands: number[]) => [0xfd, ...size(code), ...operands];
const load128 = (offset: number) => simd(0x00, 0, ...size(offset));
const LOW_PRODUCTS = simd(0x9c); // i16x8.extmul_low_i8x16_s
const HIGH_PRODUCTS = simd(0x9d); // i16x8.extmul_high_i8x16_s
const ADD_16 = simd(0x8e); // i16x8.add: two products of at most 127 * 127 fit
const PAIRS = simd(0x7e); // i32x4.extadd_pairwise_i16x8_s
const ADD_32 = simd(0xae); // i32x4.add
const lane = (which: number) => simd(0x1b, which); // i32x4.extract_lane

/** scan(count): computes the scores of that many listed rows. */
function moduleBytes(): Uint8Array<ArrayBuffer> {
  const [count, at, row, sum, own, asked] = [0, 1, 2, 3, 4, 5];
  const products: number[] = [];
  for (let offset = 0; offset < DIMENSIONS; offset += 16)
    products.push(
      ...[...get(row), ...load128(VECTORS + offset), ...set(own), ...i32(0), ...load128(ASKED + offset), ...set(asked)],
      ...[...get(own), ...get(asked), ...LOW_PRODUCTS, ...get(own), ...get(asked), ...HIGH_PRODUCTS, ...ADD_16],
      ...[...PAIRS, ...get(sum), ...ADD_32, ...set(sum)],
    );
  const shifted = [...get(at), ...i32(2), SHIFT_LEFT];
  const body = [
    ...[0x03, 0x40], // loop
    ...[...shifted, ...[load32[0] as number, 2, ...size(ROWS)], ...i32(DIMENSIONS), MULTIPLY, ...set(row)],
    ...[...simd(0x0c, ...Array<number>(16).fill(0)), ...set(sum)], // v128.const 0
    ...products,
    ...shifted,
    ...[0, 1, 2, 3].flatMap((which) => [...get(sum), ...lane(which), ...(which > 0 ? [ADD] : [])]),
    ...[store32[0] as number, 2, ...size(SCORES)],
    ...[...get(at), ...i32(1), ADD, 0x22, at], // local.tee
    ...[...get(count), LESS, 0x0d, 0], // br_if: again
    ...[0x0b, 0x0b],
  ];
  const locals = [3, 2, I32, 1, V128, 2, V128];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1, I32, 0]), // a function of one number
    ...section(2, [1, ...named("js"), ...named("memory"), 2, 0, 1]), // a memory of at least one page
    ...section(3, [1, 0]),
    ...section(7, [1, ...named("scan"), 0, 0]),
    ...section(10, [1, ...sized([...locals, ...body])]),
  ]);
}
let compiled: object | undefined;

/** Vectors in WebAssembly memory, by row. */
export class Vectors {
  private readonly memory = new WebAssembly.Memory({ initial: 1 });
  private readonly scanRows: (count: number) => void;
  /** Number of rows that fit. */
  private room = 0;

  constructor() {
    compiled ??= new WebAssembly.Module(moduleBytes());
    const { exports } = new WebAssembly.Instance(compiled, { js: { memory: this.memory } });
    this.scanRows = exports.scan as (count: number) => void;
  }

  private at = (row: number) => new Int8Array(this.memory.buffer, VECTORS + row * DIMENSIONS, DIMENSIONS);
  /** Stores a missing vector as zeros, which are near to nothing. */
  set(row: number, vector: Int8Array | null) {
    if (row >= this.room) this.grow(row + 1);
    if (vector) this.at(row).set(vector);
    else this.at(row).fill(0);
  }
  move(from: number, to: number) {
    this.at(to).set(this.at(from));
  }
  private grow(rows: number) {
    const wanted = VECTORS + Math.max(64, rows + (rows >> 1)) * DIMENSIONS;
    this.memory.grow(Math.ceil((wanted - this.memory.buffer.byteLength) / PAGE));
    this.room = Math.floor((this.memory.buffer.byteLength - VECTORS) / DIMENSIONS);
  }

  /** Calls back with the dot product of each of these rows and the query. */
  scan(rows: Int32Array, asked: Int8Array, told: (row: number, score: number) => void) {
    const { buffer } = this.memory;
    new Int8Array(buffer, ASKED, DIMENSIONS).set(asked);
    const [noted, scores] = [new Int32Array(buffer, ROWS, BLOCK), new Int32Array(buffer, SCORES, BLOCK)];
    for (let from = 0; from < rows.length; from += BLOCK) {
      const block = rows.subarray(from, from + BLOCK);
      noted.set(block);
      this.scanRows(block.length);
      for (let n = 0; n < block.length; n++) told(block[n] as number, scores[n] as number);
    }
  }
}
