// Shape of a tool: one row of the table in tools.ts.
import type { Static, TObject } from "typebox";
import type { OperationCaller } from "./operation-calls.ts";

// biome-ignore lint/suspicious/noExplicitAny: each tool knows its own, which were checked against its schema.
export type Args = Record<string, any>;

export interface Self {
  kind: string;
  actor_id: string;
  scopes: string[];
}

export interface ToolContext {
  call: OperationCaller;
  /** Idempotency-Key of the write that this call makes. */
  key(): Promise<string>;
  /** Reports progress of a long call, to clients that ask for it. */
  step(message: string): Promise<void>;
  self(): Promise<Self>;
  /** Origin of this service, for addresses that a person opens. */
  origin: string;
  /**
   * The address of a page of the application, by its path within the Workspace. Assistants inside the service link by
   * svc: alone.
   */
  page?(path: string): string;
}
export interface Tool {
  name: string;
  description: string;
  /** All operations that it calls. */
  operations: readonly string[];
  /** Scopes: one of them is enough to use the tool. */
  scopes: readonly string[];
  /** Required scopes, if the arguments decide which of them. */
  scopesOf?(args: Args): readonly string[];
  /** It needs a person to decide, or these of its arguments do: not offered to a service. */
  human?: true | readonly string[];
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
  /**
   * A successful result holds ids, codes, numbers, enums and the caller's own arguments only. Every other result taints
   * the run that receives it.
   */
  ownResult?: true;
  input: TObject;
  output: TObject;
  run(context: ToolContext, args: Args): Promise<Record<string, unknown>>;
}
/** Infers the types of the arguments. */
export const tool = <Input extends TObject>(
  declared: Omit<Tool, "input" | "run"> & {
    input: Input;
    run(context: ToolContext, args: Static<Input>): Promise<Record<string, unknown>>;
  },
) => declared as unknown as Tool;
