// Types of the client, derived from the contract's values: a method for each operation, whose one argument has the
// fields of path, query and body together. A test ensures that no operation uses one name in two of them.
import type { AnyOperation, Csv, Operation, PageInput, Redirect } from "@svc/contract/kit.ts";
import type { Served } from "@svc/contract/operations.ts";
import type { CallOptions, Pages } from "./shapes.ts";

/** Merges an intersection into one object type, which editors display in full. */
type Together<T> = { [K in keyof T]: T[K] } & {};
/** A body of bytes is passed as a file. */
type Fields<T> = T extends Uint8Array ? { file: Blob } : T extends object ? T : unknown;
type Taken<In> = In extends { params: infer P; query: infer Q; body: infer B }
  ? Together<P & Fields<Q> & Fields<B> & (In extends PageInput ? { cursor?: string; limit?: number } : unknown)>
  : never;
type Arguments<T> = Partial<T> extends T ? [input?: T, options?: CallOptions] : [input: T, options?: CallOptions];
type Answer<In, Out> = In extends PageInput
  ? Out extends (infer Item)[]
    ? Pages<Item>
    : never
  : Promise<Out extends Csv ? string : Out>;
type Method<O> = O extends Operation<infer In, infer Out> ? (...args: Arguments<Taken<In>>) => Answer<In, Out> : never;
/** Excludes redirects, which a browser follows itself, and sockets. */
type Callable<O> = O extends AnyOperation ? (O extends Operation<infer _In, Redirect> ? false : true) : false;

/** Every operation of the service by its name, such as `createTask({ project_id, title })`. */
export type Operations = {
  [Id in keyof Served as Callable<Served[Id]> extends true ? Exclude<Id, "openRealtime"> : never]: Method<Served[Id]>;
};
