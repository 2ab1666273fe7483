// Every operation that is served, by name. The files that declare them are listed in operation-files.ts.
import { Capability } from "./capabilities.ts";
import { collect } from "./kit.ts";
import * as files from "./operation-files.ts";

export const operations = collect({ Capability }, ...Object.values(files));

type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
/** The same by their names, as types: what a client can call, and with what. */
export type Served = Together<(typeof files)[keyof typeof files]>;
