/** The exit codes of every subcommand; `--help` explains them. */
export const EXIT = {
  ok: 0,
  /** A failure at run time. */
  failed: 1,
  /** Bad input: an option, a file, a port. Nothing was done. */
  badInput: 2,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface FailureContext {
  /** The next command to try. */
  readonly tip?: string;
  /** Lines above the message, such as the problems of a file. */
  readonly details?: readonly string[];
  readonly exitCode?: ExitCode;
}

/** Ends a subcommand with a message for people and without a stack trace. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly tip: string | undefined;
  readonly details: readonly string[];
  readonly exitCode: ExitCode;

  constructor(message: string, { tip, details = [], exitCode = EXIT.badInput }: FailureContext = {}) {
    super(message);
    this.tip = tip;
    this.details = details;
    this.exitCode = exitCode;
  }
}
