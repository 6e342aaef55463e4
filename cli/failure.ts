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
  /** For programs: the code of a refusal of the service, else `usage`, `bad_input` or `failed`. */
  readonly code?: string;
  /** Fields of the refusal that `--json` prints as they are, such as `status` and `execution_id`. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Ends a subcommand with a message for people and without a stack trace. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly tip: string | undefined;
  readonly details: readonly string[];
  readonly exitCode: ExitCode;
  readonly #code: string;
  readonly #facts: Readonly<Record<string, unknown>>;

  constructor(message: string, context: FailureContext = {}) {
    super(message);
    const { tip, details = [], exitCode = EXIT.badInput, facts = {} } = context;
    this.tip = tip;
    this.details = details;
    this.exitCode = exitCode;
    this.#code = context.code ?? (exitCode === EXIT.badInput ? 'bad_input' : 'failed');
    this.#facts = facts;
  }

  /** The error as `--json` prints it: `error`, `code`, facts of the refusal, `problems` and `try` where there are any. */
  toJSON(): object {
    return {
      error: this.message,
      code: this.#code,
      ...this.#facts,
      ...(this.details.length === 0 ? {} : { problems: this.details }),
      ...(this.tip === undefined ? {} : { try: this.tip }),
    };
  }
}
