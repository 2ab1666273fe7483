// In which language a turn is answered, and in which time zone. Pure.
import type { RunRow } from "./run-store.ts";
import { languageOf, textsIn } from "./texts.ts";

const preferences = ({ input }: RunRow) =>
  input.metadata.find(
    (part): part is Extract<typeof part, { kind: "turn_preferences" }> => part.kind === "turn_preferences",
  );
/** In the language that the turn names, else in that of its words, else in that of the account. */
export const wordsFor = (run: RunRow, question: string) =>
  textsIn(languageOf(preferences(run)?.locale, question, run.locale));
/** The one that the turn names, else the one that holds for its member. */
export const zoneOf = (run: RunRow) => preferences(run)?.timezone ?? run.timezone;
