// A fault of the environment that an operator can fix: one line each, with the variable, the problem and the remedy.
// Any other failure of a start is a bug and keeps its stack trace.
export class ConfigError extends Error {
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "ConfigError";
    this.lines = lines;
  }
}

/** Temporary fault: the configuration is right but the database cannot be reached now, so a later start may succeed. */
export class UnreachableError extends ConfigError {}

/** Exit codes of the process; docs/operate.md explains them. */
export const EXIT = { stopped: 0, configuration: 1, databaseLost: 3, notClosed: 4, fault: 70 } as const;

export function dataDirFault(dataDir: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const problem = code ? `cannot be written (${code}); set it to a directory that this user may write` : message;
  return new ConfigError([`DATA_DIR: ${dataDir} ${problem}`]);
}
