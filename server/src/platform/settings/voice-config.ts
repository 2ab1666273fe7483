// Address and ports of voice sessions. Pure.
import { isIPv4 } from "node:net";

export interface VoiceConfig {
  /** Address at which browsers reach this machine; null: HOST. */
  address: string | null;
  /** First and last UDP port; null: any free one. */
  ports: readonly [number, number] | null;
}

export function readVoiceAddress(text: string): string {
  if (!isIPv4(text)) throw new Error(`"${text}" is not an address; set an IPv4 address`);
  return text;
}

/** Requires at least two ports, because the port of the previous session may not be free yet. */
export function readVoicePorts(text: string): readonly [number, number] {
  const [, first, last] = (/^(\d{1,5})-(\d{1,5})$/.exec(text) ?? []).map(Number) as [number, number, number];
  if (!(first >= 1024 && last > first && last <= 65535))
    throw new Error(`"${text}" is not a range of ports; set for example 40000-40009`);
  return [first, last];
}
