import { Refusal, refuse } from '../refusal.ts';

/**
 * The body of a call. The command reads it from stdin (decision 73, the body as standard input), or it is a form with files (decision
 * 76, files of a call). It can be read once, and is stored nowhere.
 */
export interface CallInput {
  /** Null for a request without a body, which is one of no bytes. */
  readonly body: { getReader(): BodyReader } | null;
  readonly maxBytes: number;
  /** The SHA-256 that the caller gave; the body is complete only if it has it. */
  readonly sha256: Uint8Array | undefined;
  /** The body is a form with files: its `Content-Type` (decision 76, files of a call). Absent: the command reads the body from stdin. */
  readonly form?: string | undefined;
  /** Calls `leave` when the connection of the caller closes before its answer is complete. Absent: the hub itself makes the body. */
  readonly whenCallerLeaves?: (leave: () => void) => void;
}

/**
 * With the value `body`, a program says that its body holds the arguments. An endpoint that reads the body from stdin, or takes
 * files, then refuses the call.
 */
export const ARGUMENTS_IN_HEADER = 'X-Arguments-In';

interface BodyReader {
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** The parts of a request that make its input; a `Request` of the platform has them. */
interface InputRequest {
  readonly headers: { get(name: string): string | null };
  readonly body: CallInput['body'];
  /** Aborted when the connection of the caller closes. */
  readonly signal: {
    readonly aborted: boolean;
    addEventListener(type: 'abort', listener: () => void): void;
  };
}

/**
 * The body of a request as input of a command. With an `Idempotency-Key` the caller gives its digest, because whether a request is the
 * same has to be known before its body is read.
 *
 * @throws `payload_too_large`, by its `Content-Length`; `invalid_argument` without a usable digest; `unsupported_media_type` for a
 *   body that is meant as arguments
 */
export function callInput({ headers, body, signal }: InputRequest, maxBytes: number): CallInput {
  if (headers.get(ARGUMENTS_IN_HEADER) === 'body')
    throw refuse(
      'unsupported_media_type',
      'its command reads the body of a call from stdin: arguments come in the query',
      { stdin: 'body' },
    );
  if (Number(headers.get('content-length')) > maxBytes) throw refuse('payload_too_large', tooLarge(maxBytes));
  const sha256 = readContentDigest(headers.get('content-digest'));
  if (sha256 === undefined && headers.get('idempotency-key') !== null)
    throw refuse(
      'invalid_argument',
      'Idempotency-Key: a call whose command reads the body also needs Content-Digest: sha-256=:…:, in base64',
    );
  const whenCallerLeaves = (leave: () => void) => {
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
  };
  return { body, maxBytes, sha256, whenCallerLeaves };
}

/** Why the rest of a body does not come; `code` is the refusal that the caller may see. */
interface BodyCut {
  readonly kind: 'cut';
  readonly code: 'cancelled' | 'payload_too_large' | 'invalid_argument' | 'unavailable';
  readonly message: string;
}

/** A piece of a body. After `end` and `cut` there are no more. */
export type BodyPiece =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | BodyCut;

interface Hash {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** Reads a body piece by piece. Only a body that came whole, is not too long and has the digest of its caller has an `end`. */
export class CallBody {
  readonly #input: CallInput;
  readonly #reader: BodyReader | undefined;
  readonly #hash: Hash;
  /**
   * Resolves when the caller leaves before the end of the body, also while no piece is asked for: a command that does not read its input
   * asks for none. Never rejects.
   */
  readonly cutOff: Promise<BodyCut>;
  #length = 0;
  #hasEnded = false;

  constructor(input: CallInput, sha256: Hash) {
    this.#input = input;
    this.#hash = sha256;
    this.#reader = input.body?.getReader();
    this.cutOff = new Promise((resolve) => {
      input.whenCallerLeaves?.(() => {
        if (!this.#hasEnded) resolve(this.#callerLeft());
      });
    });
  }

  /** How many bytes were read. */
  get length(): number {
    return this.#length;
  }

  /** Never rejects. */
  async next(): Promise<BodyPiece> {
    const { maxBytes, sha256 } = this.#input;
    let bytes: Uint8Array | undefined;
    try {
      bytes = (await this.#reader?.read())?.value;
    } catch (error) {
      // The hub itself makes the body, and cannot read all of it.
      if (error instanceof Refusal) return cut('unavailable', error.message);
      return this.#callerLeft();
    }
    if (bytes === undefined) {
      this.#hasEnded = true;
      if (sha256 === undefined || areEqual(this.#hash.digest(), sha256)) return { kind: 'end' };
      return cut('invalid_argument', 'the body has another SHA-256 than its Content-Digest says');
    }
    if (this.#length + bytes.length > maxBytes) return cut('payload_too_large', tooLarge(maxBytes));
    this.#length += bytes.length;
    if (sha256 !== undefined) this.#hash.update(bytes);
    return { kind: 'bytes', bytes };
  }

  /** The connection of the caller has closed. Readers of the execution get the message. */
  #callerLeft(): BodyCut {
    return cut('cancelled', `its caller left after ${this.#length} bytes of the body`);
  }

  /** Reads no more. The hub drops the bytes that the caller still sends, so that the caller gets its answer. */
  close(): void {
    void this.#reader?.cancel().catch(() => undefined);
  }
}

function cut(code: BodyCut['code'], why: string): BodyCut {
  return { kind: 'cut', code, message: `the input was cut off: ${why}` };
}

function tooLarge(maxBytes: number): string {
  return `the body is larger than ${maxBytes} bytes`;
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

const SHA_256 = /(?:^|,)\s*sha-256\s*=\s*:([A-Za-z0-9+/]{43}=):\s*(?:;[^,]*)?(?:,|$)/;

/**
 * The SHA-256 in a `Content-Digest` header (RFC 9530), 32 bytes; undefined without the header.
 *
 * @throws `invalid_argument` for a header without it: other digests are not checked
 */
export function readContentDigest(header: string | null): Uint8Array | undefined {
  if (header === null) return undefined;
  const [, base64] = SHA_256.exec(header) ?? [];
  if (base64 !== undefined) return Uint8Array.fromBase64(base64);
  throw refuse('invalid_argument', 'Content-Digest: sha-256=:…: expected, with the digest in base64');
}
