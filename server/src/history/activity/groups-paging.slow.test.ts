// Three random histories of activity in groups, read in pages of every size; groups-paging.test.ts has a shorter one.
import { telling } from "../../../test/activity-groups.ts";
import { testHistories } from "../../../test/activity-histories.ts";

testHistories(telling(), {
  seeds: [1, 2, 3],
  steps: 80,
  sizes: [1, 2, 7, 100],
  growing: [1, 3],
  daySizes: [1, 100],
});
