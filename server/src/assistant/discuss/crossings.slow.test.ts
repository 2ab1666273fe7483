// The 500 crossings of crossings.test.ts: every question about every subject.
import { ASKED, SUBJECTS, testCrossings } from "../../../test/crossings.ts";

await testCrossings({
  subjects: SUBJECTS,
  questions: SUBJECTS.flatMap((subject) => ASKED.map((words) => `${words} ${subject}?`)),
  said: SUBJECTS.map((subject) => `${ASKED[0]} ${subject}?`),
  every: 8,
});
