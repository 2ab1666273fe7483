// Which language model the operator has chosen, and how it is reached. Pure.
export const modelProviders = ["openai", "anthropic"] as const;
const urls = { openai: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com/v1" };

export interface ModelConfig {
  provider: (typeof modelProviders)[number];
  /** Without a slash at its end. */
  url: string;
  name: string;
  key: string | null;
}
type Given = { [Field in keyof ModelConfig]: ModelConfig[Field] | null };

/** null: none; undefined: the provider alone does not say which. */
export function modelOf({ provider, url, name, key }: Given): ModelConfig | null | undefined {
  if (provider === null) return null;
  return name === null ? undefined : { provider, url: url ?? urls[provider], name, key };
}
