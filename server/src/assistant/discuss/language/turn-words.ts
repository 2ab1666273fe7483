// Language and time zone of a turn. Pure.
import type { ClaimedDiscussRun } from "../answers/run-store.ts";
import { languageOf, textsIn } from "./texts.ts";

const preferences = ({ input }: ClaimedDiscussRun) =>
  input.metadata.find(
    (part): part is Extract<typeof part, { kind: "turn_preferences" }> => part.kind === "turn_preferences",
  );
/** Texts in the language that the turn names, else in that of the question, else in that of the account. */
export const wordsFor = (run: ClaimedDiscussRun, question: string) =>
  textsIn(languageOf(preferences(run)?.locale, question, run.locale));
/** Time zone that the turn names, else the member's. */
export const zoneOf = (run: ClaimedDiscussRun) => preferences(run)?.timezone ?? run.timezone;
