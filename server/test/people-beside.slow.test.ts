// The reads that people-beside.test.ts leaves out.
import { isTestedFirst, testBeside } from "./people-beside-reads.ts";

testBeside((id) => !isTestedFirst(id));
