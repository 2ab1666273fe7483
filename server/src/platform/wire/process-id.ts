// Id of this process, which its leases name: a random positive integer, because the key of an advisory lock is one.
import { randomInt } from "node:crypto";

export const processId = randomInt(1, 2 ** 31 - 1);
