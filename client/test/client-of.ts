// The client of somebody in a test, with their browser session: what the tests of the application and of svc arrange
// and look at, they do through it.
import { type Person, sessionHeaders } from "../../server/test/world.ts";
import { type Client, createClient } from "../src/client.ts";

export const clientOf = ({ origin, session }: Person): Client =>
  createClient({ url: origin, headers: sessionHeaders(session) });
