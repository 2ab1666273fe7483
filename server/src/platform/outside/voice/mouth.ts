// Speech synthesis: Kokoro in English, sentence by sentence, so that the first one plays while the next is computed.
import { library, speakingWeights, weightsOf } from "./weights.ts";

export const SPOKEN_RATE = 24_000;
const MOST_SOUNDS = 500;
const STYLE = 256;

/** Phonemes that the model knows, with their numbers. */
const SOUNDS = new Map<string, number>(
  (
    [
      [1, ";:,.!?"],
      [9, '—…"()“” '],
      [24, "A"],
      [25, "I"],
      [43, "abcdef"],
      [50, "hijklmnopqrstuvwxyzɑɐɒæ"],
      [75, "βɔɕç"],
      [80, "ɖðʤə"],
      [85, "ɚɛɜ"],
      [90, "ɟ"],
      [92, "ɡ"],
      [99, "ɥ"],
      [101, "ɨɪʝ"],
      [110, "ɯɰŋɳɲɴø"],
      [118, "ɸθœ"],
      [123, "ɹ"],
      [125, "ɾɻ"],
      [128, "ʁɽʂʃʈʧ"],
      [135, "ʊʋ"],
      [138, "ʌɣɤ"],
      [142, "χʎ"],
      [147, "ʒʔ"],
      [156, "ˈˌː"],
      [162, "ʰ"],
      [164, "ʲ"],
      [177, "ᵻ"],
    ] as const
  ).flatMap(([first, letters]) => [...letters].map((letter, at) => [letter, first + at] as const)),
);

/** Splits a text into sentences for reading aloud, without Markdown signs and URLs. */
export function sentencesOf(markdown: string): string[] {
  const plain = markdown
    .replace(/```[\s\S]*?```/g, " ")
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, "$1")
    .replace(/\bhttps?:\/\/\S+/g, " ")
    .replace(/^[ \t]*(?:[-*+>#]+|\d+\.)[ \t]+/gm, "")
    .replace(/[*_`~|#<>]/g, " ");
  return plain
    .split(/(?<=[.!?…:])\s+|\n+/)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

export async function openMouth(): Promise<(sentence: string) => Promise<Float32Array>> {
  const { InferenceSession, Tensor } = await library("onnxruntime-node");
  const { phonemize } = (await library("phonemizer")) as {
    phonemize(text: string, language: string): Promise<string[]>;
  };
  const session = await InferenceSession.create(speakingWeights(), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    graphOptimizationLevel: "basic",
    logSeverityLevel: 3,
  });
  const bytes = Uint8Array.from(weightsOf("voice"));
  const styles = new Float32Array(bytes.buffer);
  return async (sentence) => {
    const ending = /[.!?]$/.exec(sentence)?.[0] ?? ".";
    const said = `${(await phonemize(sentence, "en-us")).join(", ")}${ending}`.replace(/r/g, "ɹ");
    const sounds = [...said].flatMap((letter) => SOUNDS.get(letter) ?? []).slice(0, MOST_SOUNDS);
    const ids = [0, ...sounds, 0];
    const { waveform } = await session.run({
      input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
      style: new Tensor("float32", styles.slice(sounds.length * STYLE, (sounds.length + 1) * STYLE), [1, STYLE]),
      speed: new Tensor("float32", new Float32Array([1]), [1]),
    });
    return waveform.data as Float32Array;
  };
}
