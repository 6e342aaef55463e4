import type { Cast, CastEvent } from './cast.ts';

/** Text of a run, and what a recording has in its place. */
export type Placeholder = readonly [from: string | RegExp, to: string];

interface TerminalOptions {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** When the recording began, as `performance.now()` has it. */
  readonly startMs: number;
  readonly keyMs: number;
  readonly shell: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const PROMPT = '$ ';
/** What arrives within this time was written together; a program's line may come in parts. */
const TOGETHER_MS = 15;

/** A shell on a terminal of its own. All that the terminal receives is kept with its time. */
export class RecordedTerminal implements AsyncDisposable {
  readonly #options: TerminalOptions;
  readonly #terminal: Bun.Terminal;
  readonly #shell: Bun.Subprocess;
  readonly #received: CastEvent[] = [];
  readonly #waiting = new Set<() => void>();
  /** How much of the text was there before the last command. */
  #typedAt = 0;

  private constructor(options: TerminalOptions) {
    this.#options = options;
    const decoder = new TextDecoder();
    this.#terminal = new Bun.Terminal({
      cols: options.columns,
      rows: options.rows,
      data: (_, bytes) => this.#receive(decoder.decode(bytes, { stream: true })),
    });
    // As the terminal of its session, so that Ctrl-C is a signal.
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

  /** Resolves when a text has come since the last line was typed. */
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

  /** Ctrl-C, and the end of the program that gets it. */
  async interrupt(): Promise<void> {
    this.#typedAt = this.text.length;
    this.#terminal.write('\x03');
    await this.hasPrompt();
  }

  /**
   * The recording from the first prompt on.
   *
   * @param last what comes after this text is not part of it
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
