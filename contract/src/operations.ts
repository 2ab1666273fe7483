// Every operation that is served, by name. operation-files.ts lists the files that declare them.
import { Capability } from "./capabilities.ts";
import { collect } from "./kit.ts";
import * as files from "./operation-files.ts";

export const operations = collect({ Capability }, ...Object.values(files));

type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
/** Type of the same map, from which clients derive calls and arguments. */
export type Served = Together<(typeof files)[keyof typeof files]>;
