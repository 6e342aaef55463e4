import type { Cast, CastEvent } from './cast.ts';

/** Text of a run, and its replacement in the recording. */
export type Placeholder = readonly [from: string | RegExp, to: string];

interface TerminalOptions {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** The start of the recording, a time of `performance.now()`. */
  readonly startMs: number;
  readonly keyMs: number;
  readonly shell: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const PROMPT = '$ ';
/** Pieces that arrive within this time count as one, because a line of a program may come in parts. */
const TOGETHER_MS = 15;

/** A shell on a terminal of its own. Everything that the terminal receives is kept with its time. */
export class RecordedTerminal implements AsyncDisposable {
  readonly #options: TerminalOptions;
  readonly #terminal: Bun.Terminal;
  readonly #shell: Bun.Subprocess;
  readonly #received: CastEvent[] = [];
  readonly #waiting = new Set<() => void>();
  /** The length of the text before the last command. */
  #typedAt = 0;

  private constructor(options: TerminalOptions) {
    this.#options = options;
    const decoder = new TextDecoder();
    this.#terminal = new Bun.Terminal({
      cols: options.columns,
      rows: options.rows,
      data: (_, bytes) => this.#receive(decoder.decode(bytes, { stream: true })),
    });
    // The shell controls the terminal of its session, so that Ctrl-C becomes a signal.
    this.#shell = Bun.spawn(['setsid', '--ctty', '--wait', ...options.shell], {
      cwd: options.cwd,
      env: options.env,
      terminal: this.#terminal,
    });
  }

  /** Opens a terminal; resolves when its shell is ready. */
  static async open(options: TerminalOptions): Promise<RecordedTerminal> {
    const terminal = new RecordedTerminal(options);
    await terminal.hasPrompt();
    return terminal;
  }

  get text(): string {
    return this.#received.map(({ text }) => text).join('');
  }

  /** Types a line as a person does. */
  async type(line: string): Promise<void> {
    const { keyMs } = this.#options;
    this.#typedAt = this.text.length;
    if (keyMs === 0) this.#terminal.write(line);
    else
      for (const [index, key] of [...line].entries()) {
        await Bun.sleep(index === 0 ? 10 * keyMs : keyMs);
        this.#terminal.write(key);
      }
    await this.shows(line);
    this.#terminal.write('\r');
  }

  /** Resolves when the text has arrived since the last line was typed. */
  async shows(text: string | RegExp): Promise<void> {
    await this.#until(() => {
      const since = this.text.slice(this.#typedAt);
      return typeof text === 'string' ? since.includes(text) : text.test(since);
    });
  }

  /** Resolves when the last command has ended. */
  async hasPrompt(): Promise<void> {
    await this.#until(() => this.text.slice(this.#typedAt).endsWith(PROMPT));
  }

  /** Presses Ctrl-C; resolves when the program has ended. */
  async interrupt(): Promise<void> {
    this.#typedAt = this.text.length;
    this.#terminal.write('\x03');
    await this.hasPrompt();
  }

  /**
   * The recording from the first prompt on.
   *
   * @param last the recording ends with this text
   */
  cast(placeholders: readonly Placeholder[], last?: RegExp): Cast {
    const { title, columns, rows } = this.#options;
    const events: CastEvent[] = [];
    for (const { atMs, text } of this.#received) {
      const before = events.at(-1);
      if (before !== undefined && atMs - before.atMs < TOGETHER_MS)
        events[events.length - 1] = { atMs: before.atMs, text: before.text + text };
      else events.push({ atMs, text });
      const found = last?.exec(events.at(-1)?.text ?? '');
      if (found == null) continue;
      const { atMs: lastMs, text: all } = events.pop() as CastEvent;
      events.push({ atMs: lastMs, text: all.slice(0, found.index + found[0].length) });
      break;
    }
    const replaced = events.map(({ atMs, text }) => ({
      atMs,
      text: placeholders.reduce((result, [from, to]) => result.replaceAll(allOf(from), to), text),
    }));
    return { title, columns, rows, events: replaced };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#terminal.close();
    await this.#shell.exited;
  }

  #receive(text: string): void {
    const atMs = Math.round(performance.now() - this.#options.startMs);
    this.#received.push({ atMs, text });
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }
}

function allOf(from: string | RegExp): string | RegExp {
  return typeof from === 'string' ? from : new RegExp(from, 'g');
}
