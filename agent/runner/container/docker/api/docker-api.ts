import { EngineError } from '../../engine.ts';

/** An engine that has no answer within this time is taken for one that is out of order. */
const PATIENCE_MS = 60_000;

export interface Question {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: object;
  /** Sent as it is. */
  readonly body?: Blob;
  readonly patienceMs?: number;
}

/** Nothing answers. An engine that has gone takes what it had started with it, at the latest when it is back. */
export class DockerUnavailable extends EngineError {}

/** What the engine refused, with the status of its answer. */
export class DockerRefusal extends EngineError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The API that Docker Engine and Podman share, on its socket. */
export class DockerApi {
  readonly socket: string;
  /** Before every path: the version that the engine speaks. */
  readonly prefix: string;

  private constructor(socket: string, version: string) {
    this.socket = socket;
    this.prefix = `/v${version}`;
  }

  /** Rejects where nothing answers, or something that is too old: 1.41 came with Docker 20.10, and Podman 3 speaks it. */
  static async open(socket: string): Promise<DockerApi> {
    const answer = await reach(socket, 'GET', '/_ping', {});
    const version = answer.headers.get('Api-Version') ?? '';
    await answer.text();
    const [, major, minor] = /^(\d+)\.(\d+)$/.exec(version) ?? [];
    if (Number(major) !== 1 || Number(minor) < OLDEST_MINOR) {
      throw new EngineError(
        `what answers at ${socket} speaks version "${version}" of Docker's API: 1.${OLDEST_MINOR} or later is expected`,
      );
    }
    return new DockerApi(socket, version);
  }

  /** The answer's JSON; undefined where there is none. Rejects with a {@link DockerRefusal} in the engine's words. */
  async ask(method: string, path: string, question: Question = {}): Promise<unknown> {
    const text = await this.#text(method, path, question);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** An answer that tells of progress, one line of JSON after the other; some of them may tell of a failure. */
  async follow(method: string, path: string, question: Question): Promise<void> {
    const lines = (await this.#text(method, path, question)).split('\n').filter((line) => line.trim() !== '');
    for (const { error } of lines.map((line) => JSON.parse(line) as { error?: string })) {
      if (error !== undefined) throw new EngineError(error);
    }
  }

  async #text(method: string, path: string, question: Question): Promise<string> {
    const answer = await reach(this.socket, method, `${this.prefix}${path}`, question);
    const text = await answer.text();
    if (answer.ok || answer.status === NOT_MODIFIED) return text;
    throw new DockerRefusal(answer.status, messageIn(text));
  }
}

/** What was asked about is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof DockerRefusal && error.status === 404;
}

const OLDEST_MINOR = 41;
/** What was asked for is so already. */
const NOT_MODIFIED = 304;

async function reach(socket: string, method: string, path: string, question: Question): Promise<Response> {
  const { query = {}, json, body, patienceMs = PATIENCE_MS } = question;
  const parameters = new URLSearchParams(query).toString();
  try {
    return await fetch(`http://docker${path}${parameters === '' ? '' : `?${parameters}`}`, {
      unix: socket,
      method,
      // An engine that was started anew knows nothing of old connections.
      keepalive: false,
      signal: AbortSignal.timeout(patienceMs),
      ...(json === undefined ? {} : { body: JSON.stringify(json), headers: JSON_HEADERS }),
      ...(body === undefined ? {} : { body, headers: TAR_HEADERS }),
    });
  } catch (cause) {
    throw new DockerUnavailable(`Docker does not answer at ${socket} (${reasonOf(cause as Error)})`, {
      cause,
    });
  }
}

/** Bun's own words are about addresses that were typed in. */
function reasonOf(cause: Error & { readonly code?: unknown }): string {
  return typeof cause.code === 'string' ? cause.code : cause.message;
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };
const TAR_HEADERS = { 'Content-Type': 'application/x-tar' };

function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message);
  } catch {
    return text.trim();
  }
}
