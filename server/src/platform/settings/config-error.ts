// A fault of the environment that whoever starts the service can mend: one line each, naming the variable, the problem
// and what to do. Everything else that goes wrong at start is a bug and keeps its stack trace.
export class ConfigError extends Error {
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "ConfigError";
    this.lines = lines;
  }
}

/** Nothing is set up wrongly: the database is out of reach just now, and starting again later may help. */
export class UnreachableError extends ConfigError {}

/** How the process ended, for whoever started it; docs/operate.md explains them. */
export const EXIT = { stopped: 0, configuration: 1, databaseLost: 3, notClosed: 4, fault: 70 } as const;

export function dataDirFault(dataDir: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const problem = code ? `cannot be written (${code}); set it to a directory that this user may write` : message;
  return new ConfigError([`DATA_DIR: ${dataDir} ${problem}`]);
}
