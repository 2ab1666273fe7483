// Describes one environment variable: its default and its meaning, as docs/settings.md prints them, and its parser.
type Read<T> = (text: string, env: NodeJS.ProcessEnv) => T;
type Variable<T> = { default: string; meaning: string; read: Read<T> };

export const variable = <T>(fallback: string, meaning: string, read: Read<T>): Variable<T> => ({
  default: fallback,
  meaning,
  read,
});
