// Speech recognition: Whisper (base, 8-bit weights) in English and German. Decodes greedily, the likeliest token at a
// time.
import { BANDS, MOMENTS, melOf } from "./mel.ts";
import { library, weightsOf } from "./weights.ts";

export type Language = "en" | "de";
export interface Understood {
  text: string;
  language: Language;
}

const [START, END, TRANSCRIBE, WITHOUT_TIMES] = [50258, 50257, 50359, 50363] as const;
const LANGUAGES: Record<Language, number> = { en: 50259, de: 50261 };
const MOST_PIECES = 200;
const LAYERS = 6;
const HEADS = 8;
const WIDTH = 64;

export async function openEars(): Promise<(samples: Float32Array) => Promise<Understood>> {
  const { InferenceSession, Tensor } = await library("onnxruntime-node");
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };
  const [encoder, decoder] = await Promise.all(
    (["encoder", "decoder"] as const).map((name) => InferenceSession.create(weightsOf(name), options)),
  );
  const textOf = piecesIn(JSON.parse(weightsOf("words").toString()));
  const parts = Array.from({ length: LAYERS }, (_, layer) =>
    ["decoder.key", "decoder.value", "encoder.key", "encoder.value"].map((name) => `${layer}.${name}`),
  ).flat();
  const nothing = new Tensor("float32", new Float32Array(0), [1, HEADS, 0, WIDTH]);

  return async (samples) => {
    const features = new Tensor("float32", melOf(samples), [1, BANDS, MOMENTS]);
    const { last_hidden_state: heard } = await encoder.run({ input_features: features });
    /** Key-value cache of the decoder; the encoder's part is computed only once. */
    let past: Record<string, unknown> = Object.fromEntries(parts.map((part) => [part, nothing]));
    const next = async (ids: readonly number[], first: boolean): Promise<Float32Array> => {
      const { logits, ...worked } = await decoder.run({
        input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
        encoder_hidden_states: heard,
        use_cache_branch: new Tensor("bool", [!first], [1]),
        ...Object.fromEntries(parts.map((part) => [`past_key_values.${part}`, past[part]])),
      });
      past = Object.fromEntries(
        parts.map((part) => [part, !first && part.includes("encoder") ? past[part] : worked[`present.${part}`]]),
      );
      const [, count, size] = logits.dims as [number, number, number];
      return logits.data.subarray((count - 1) * size, count * size);
    };
    const start = await next([START], true);
    const language = (start[LANGUAGES.de] as number) > (start[LANGUAGES.en] as number) ? "de" : "en";
    past = Object.fromEntries(parts.map((part) => [part, nothing]));
    let scores = await next([START, LANGUAGES[language], TRANSCRIBE, WITHOUT_TIMES], true);
    const pieces: number[] = [];
    for (;;) {
      const piece = likeliest(scores, pieces.length === 0);
      if (piece === END || pieces.length === MOST_PIECES) break;
      pieces.push(piece);
      scores = await next([piece], false);
    }
    return { text: textOf(pieces).trim(), language };
  };
}

/** Picks the likeliest word token, ignoring the special tokens after END. The first token must not be END. */
function likeliest(scores: Float32Array, first: boolean): number {
  let best = first ? 0 : END;
  for (let at = 0; at < END; at++) if ((scores[at] as number) > (scores[best] as number)) best = at;
  return best;
}

/** Decodes byte-level tokens, which represent each byte by a letter (as in GPT-2). */
function piecesIn(numbers: Record<string, number>): (pieces: readonly number[]) => string {
  const plain = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  const byteOf = new Map<string, number>();
  let more = 256;
  for (let byte = 0; byte < 256; byte++) byteOf.set(String.fromCodePoint(plain(byte) ? byte : more++), byte);
  const pieceOf = new Map(Object.entries(numbers).map(([piece, number]) => [number, piece]));
  return (pieces) =>
    Buffer.from(
      pieces.flatMap((piece) => [...(pieceOf.get(piece) ?? "")].flatMap((letter) => byteOf.get(letter) ?? [])),
    ).toString();
}
