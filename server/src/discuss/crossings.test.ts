// No word of what a person cannot read reaches them through search, Knowledge or a conversation. crossings.slow.test.ts
// asks ten times as much.
import { ASKED, SUBJECTS, testCrossings } from "../../test/crossings.ts";

const subjects = SUBJECTS.slice(0, 4);
const ask = (at: number) => `${ASKED[at]} ${subjects[at % subjects.length]}?`;
await testCrossings({
  subjects,
  questions: ASKED.map((_, at) => ask(at)),
  said: subjects.map((_, at) => ask(at)),
  every: 4,
});
