// Configuration of the language model: provider, address and key. Pure.
export const modelProviders = ["openai", "anthropic"] as const;
const urls = { openai: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com/v1" };

export interface ModelConfig {
  provider: (typeof modelProviders)[number];
  /** Address without a trailing slash. */
  url: string;
  name: string;
  key: string | null;
}
type Given = { [Field in keyof ModelConfig]: ModelConfig[Field] | null };

/** null: no model; undefined: a provider without a model name. */
export function modelOf({ provider, url, name, key }: Given): ModelConfig | null | undefined {
  if (provider === null) return null;
  return name === null ? undefined : { provider, url: url ?? urls[provider], name, key };
}
