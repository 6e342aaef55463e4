import type { Busboy, BusboyFileStream } from '@fastify/busboy';
import { Interruption } from '../../interruption.ts';
import { refuse } from '../../refusal.ts';

/** Receives one file of a form. */
export interface FilePart {
  /** Resolves when the bytes are taken. Not called again before that. */
  write(bytes: Uint8Array): Promise<void>;
  /** Called when the file is whole. */
  end(): Promise<void>;
}

/** Receives the parts of a form, in their order. An error of a method ends the form with that error. */
export interface FormParts {
  field(name: string, text: string): void;
  /** @param filename what the client calls it: any text, and never a path; undefined without one */
  file(name: string, filename: string | undefined): FilePart;
}

export interface FormLimits {
  readonly fields: number;
  readonly fieldBytes: number;
  readonly files: number;
}

type Parser = InstanceType<typeof Busboy>;

/** The headers of one part. */
const HEADER_BYTES = 8 * 1024;
const HEADER_PAIRS = 20;

/** Whether a request has a form that may have files. */
export function isForm({ headers }: { readonly headers: { get(name: string): string | null } }): boolean {
  return /^multipart\/form-data\s*;/i.test(headers.get('content-type') ?? '');
}

/**
 * Reads `multipart/form-data` (RFC 7578) piece by piece. It keeps nothing of a file: `write` resolves when the parts have taken
 * the piece.
 */
export class FormReader {
  readonly #parser: Parser;
  readonly #parts: FormParts;
  readonly #finished = Promise.withResolvers<void>();
  readonly #failure = new Interruption();
  /** The work of the parts, one after another. */
  #work: Promise<void> = Promise.resolve();

  /** @throws `invalid_argument` without a usable boundary */
  constructor(contentType: string, limits: FormLimits, parts: FormParts) {
    this.#parts = parts;
    this.#parser = parserOf(contentType, limits);
    this.#parser.on('field', (name, text, isNameCut, isCut) => {
      if (isNameCut || isCut) this.#fail(tooLong(name, limits));
      else this.#guarded(() => parts.field(name ?? '', text));
    });
    this.#parser.on('file', (name, stream, filename) => this.#take(name ?? '', stream, filename));
    this.#parser.on('fieldsLimit', () => this.#fail(problem(`it has more than ${limits.fields} values`)));
    this.#parser.on('filesLimit', () => this.#fail(problem(`it has more than ${limits.files} files`)));
    this.#parser.on('partsLimit', () => this.#fail(problem('it has too many parts')));
    this.#parser.on('error', (error) => this.#fail(problem(messageOf(error))));
    this.#parser.on('finish', () => this.#finished.resolve());
  }

  /** Resolves when the parts have taken the bytes. Rejects with a refusal, or with the error of a part; do not write after that. */
  async write(bytes: Uint8Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#parser.write(bytes, () => resolve());
    await this.#failure.wait(promise);
    await this.#failure.wait(this.#work);
  }

  /** Ends the form. Rejects like `write`, also if the last boundary is missing. */
  async end(): Promise<void> {
    this.#parser.end();
    await this.#failure.wait(this.#finished.promise);
    await this.#failure.wait(this.#work);
  }

  #take(name: string, stream: BusboyFileStream, filename: string | undefined): void {
    let part: FilePart | undefined;
    this.#guarded(() => {
      part = this.#parts.file(name, filename);
    });
    // The parser reports the same error itself.
    stream.on('error', () => undefined);
    if (part === undefined) {
      stream.resume();
      return;
    }
    const { write, end } = bound(part);
    stream.on('data', (bytes: Uint8Array) => this.#then(() => write(bytes)));
    stream.on('end', () => this.#then(end));
  }

  #then(action: () => Promise<void>): void {
    this.#work = this.#work.then(action);
    this.#work.catch((error: unknown) => this.#fail(error));
  }

  #guarded(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure.set(error);
  }
}

function parserOf(contentType: string, { fields, fieldBytes, files }: FormLimits): Parser {
  const limits = {
    fields,
    files,
    fieldSize: fieldBytes,
    parts: fields + files + 1,
    headerPairs: HEADER_PAIRS,
    headerSize: HEADER_BYTES,
  };
  try {
    return new (busboy().Busboy)({ headers: { 'content-type': contentType }, limits, preservePath: true });
  } catch (error) {
    throw problem(messageOf(error));
  }
}

function bound(part: FilePart) {
  return { write: (bytes: Uint8Array) => part.write(bytes), end: () => part.end() };
}

function problem(what: string) {
  return refuse('invalid_argument', `the form cannot be read: ${what}`);
}

function tooLong(name: string, { fieldBytes }: FormLimits) {
  return refuse(
    'payload_too_large',
    `the form field ${JSON.stringify(name.slice(0, 100))} has more than ${fieldBytes} bytes`,
  );
}

function messageOf(error: unknown): string {
  const { message } = error as Error;
  return message.slice(0, 200);
}

/** The parser. It is loaded with the first form, because the program starts faster without it. */
function busboy(): typeof import('@fastify/busboy') {
  return require('@fastify/busboy');
}
