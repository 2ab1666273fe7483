// The predicates of every operation, where row-level security lets everything pass. tenancy-predicates.test.ts tests a
// part of them.
import { predicatesAlone, testPredicates } from "./tenancy-predicates.ts";

testPredicates(predicatesAlone());
