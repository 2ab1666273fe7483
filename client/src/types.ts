// The client's types, taken from the contract's values: a method for each operation, whose one argument has the fields of path, query and body together.
// The contract has no operation in which two of them bear the same name; a test holds that.
import type { AnyOperation, Csv, Operation, PageInput, Redirect } from "@svc/contract/kit.ts";
import type { Served } from "@svc/contract/operations.ts";
import type { CallOptions, Pages } from "./shapes.ts";

/** One object of several: what is shown when somebody looks at the type. */
type Together<T> = { [K in keyof T]: T[K] } & {};
/** A body of bytes is a file. */
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
/** A redirect is followed by a browser itself, and a socket is more than a call. */
type Callable<O> = O extends AnyOperation ? (O extends Operation<infer _In, Redirect> ? false : true) : false;

/** Every operation of the service by its name, such as `createTask({ project_id, title })`. */
export type Operations = {
  [Id in keyof Served as Callable<Served[Id]> extends true ? Exclude<Id, "openRealtime"> : never]: Method<Served[Id]>;
};
