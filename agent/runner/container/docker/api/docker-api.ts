import { EngineError } from '../../engine.ts';

/** An engine without an answer within this time counts as broken. */
const TIMEOUT_MS = 60_000;

export interface Question {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: object;
  /** Sent unchanged. */
  readonly body?: Blob;
  readonly timeoutMs?: number;
}

/** The engine does not answer. Containers of an engine that went down end at the latest when it is back. */
export class DockerUnavailable extends EngineError {}

/** A refusal of the engine, with its status. */
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
  /** The prefix of every path: the API version of the engine. */
  readonly prefix: string;

  private constructor(socket: string, version: string) {
    this.socket = socket;
    this.prefix = `/v${version}`;
  }

  /** Rejects if the engine does not answer or is too old: 1.41 came with Docker 20.10, and Podman 3 supports it. */
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

  /**
   * The JSON of the answer; undefined if there is none. Rejects with a {@link DockerRefusal} with the message of the
   * engine.
   */
  async ask(method: string, path: string, question: Question = {}): Promise<unknown> {
    const text = await this.#text(method, path, question);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Reads an answer that reports progress as lines of JSON, any of which may report a failure. */
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

/** The requested object does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof DockerRefusal && error.status === 404;
}

const OLDEST_MINOR = 41;
/** The requested state is already reached. */
const NOT_MODIFIED = 304;

async function reach(socket: string, method: string, path: string, question: Question): Promise<Response> {
  const { query = {}, json, body, timeoutMs = TIMEOUT_MS } = question;
  const parameters = new URLSearchParams(query).toString();
  try {
    return await fetch(`http://docker${path}${parameters === '' ? '' : `?${parameters}`}`, {
      unix: socket,
      method,
      // A restarted engine does not know old connections.
      keepalive: false,
      signal: AbortSignal.timeout(timeoutMs),
      ...(json === undefined ? {} : { body: JSON.stringify(json), headers: JSON_HEADERS }),
      ...(body === undefined ? {} : { body, headers: TAR_HEADERS }),
    });
  } catch (cause) {
    throw new DockerUnavailable(`Docker does not answer at ${socket} (${reasonOf(cause as Error)})`, {
      cause,
    });
  }
}

/** Bun's own message speaks of mistyped addresses. */
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
