// A Workspace in which the tests over all operations make one of everything that a path can name.
import type { Person, TestService, World } from "./world.ts";

export interface CreatedResource {
  id: string;
  revision?: string;
}
export interface Home extends World {
  running: TestService;
  /** The id of the one of its kind that every refused call and every read shares. */
  id(parameter: string): Promise<string>;
  shared(parameter: string): Promise<CreatedResource>;
  make(parameter: string): Promise<CreatedResource>;
  viewer(): Promise<Person>;
  /** Somebody whose membership was active once and now has this state. */
  former(state: "suspended" | "removed"): Promise<Person>;
  /** The owner becomes a member of one more Workspace. */
  joinAnother(): Promise<unknown>;
  /** The address of an account with this password. */
  registered(password: string): Promise<string>;
}
