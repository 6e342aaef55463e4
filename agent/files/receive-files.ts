import { createHash } from 'node:crypto';
import { type FilePart, FormReader } from '@svc/core/api/form/form-reader';
import { formLimits, refuseUnlessFileArgument } from '@svc/core/api/form/read-form';
import type { Argument } from '@svc/core/endpoint/definition';
import { fileArguments, fileLimit } from '@svc/core/endpoint/file-arguments';
import {
  type ContentType,
  contentType,
  isAcceptedType,
  SAMPLE_BYTES,
} from '@svc/core/execution/content-type';
import {
  type ApprovedFile,
  areApproved,
  clientFileName,
  type ReceivedFile,
} from '@svc/core/execution/received-file';
import { refuse } from '@svc/core/refusal';
import type { CommandInput } from '../runner/runner.ts';
import type { FileFolder, NewFile } from './file-folders.ts';

/** The files of a call, after they were written. */
export interface ReceivedFiles {
  readonly files: readonly ReceivedFile[];
  /** Where each lies, by its argument. */
  readonly paths: ReadonlyMap<string, string>;
}

/** The caller, the hub or a limit ended the input early; the message says why. */
export class InputCutOff extends Error {
  readonly code: Extract<Awaited<ReturnType<CommandInput['next']>>, { kind: 'cut' }>['code'];

  constructor({ code, message }: { code: InputCutOff['code']; message: string }) {
    super(message);
    this.code = code;
  }
}

/**
 * Writes the files of a form into the folder, one after another, as their bytes arrive (decision 76, files of a call).
 *
 * @throws `InputCutOff`, a refusal that says what is wrong with the form, or an error of the file system. Some files may have been
 *   written by then.
 */
export async function receiveFiles(
  form: {
    readonly contentType: string;
    readonly args: readonly Argument[];
    /** Present: no other files are accepted than these (decision 83, bodies that wait for approval). */
    readonly approved?: readonly ApprovedFile[] | undefined;
  },
  input: Pick<CommandInput, 'next'>,
  folder: FileFolder,
): Promise<ReceivedFiles> {
  const received = new IncomingFiles(form.args, folder);
  try {
    const reader = new FormReader(form.contentType, formLimits(form.args), received);
    for (;;) {
      const piece = await input.next();
      if (piece.kind === 'cut') throw new InputCutOff(piece);
      if (piece.kind === 'end') break;
      await reader.write(piece.bytes);
    }
    await reader.end();
    const result = received.result();
    if (form.approved !== undefined && !areApproved(result.files, form.approved))
      throw refuse('agent_refused', 'the files that have come are not those that were approved');
    return result;
  } finally {
    await received.close();
  }
}

class IncomingFiles {
  readonly #args: readonly Argument[];
  readonly #folder: FileFolder;
  readonly #files: IncomingFile[] = [];

  constructor(args: readonly Argument[], folder: FileFolder) {
    this.#args = args;
    this.#folder = folder;
  }

  /** Ignores values before the first file: the hub has read them. */
  field(name: string): void {
    if (this.#files.length === 0) return;
    throw refuse(
      'invalid_argument',
      `the form has the value ${JSON.stringify(name.slice(0, 100))} after a file: values come before files, or in the query`,
    );
  }

  file(name: string, filename: string | undefined): FilePart {
    refuseUnlessFileArgument(name, this.#args);
    const argument = fileArguments(this.#args).find((one) => one.name === name) as Argument;
    if (this.#files.some((file) => file.argument === argument))
      throw refuse('invalid_argument', `argument "${name}" is given twice; give it once`);
    const file = new IncomingFile(argument, filename, this.#folder);
    this.#files.push(file);
    return file;
  }

  result(): ReceivedFiles {
    const written = this.#files.flatMap((file) => file.result() ?? []);
    return {
      files: written.map(({ facts }) => facts),
      paths: new Map(written.map(({ facts, path }) => [facts.argument, path])),
    };
  }

  async close(): Promise<void> {
    for (const file of this.#files) await file.close();
  }
}

/** A file while its bytes arrive. */
class IncomingFile implements FilePart {
  readonly argument: Argument;
  readonly #clientName: string | undefined;
  readonly #folder: FileFolder;
  readonly #sha256 = createHash('sha256');
  #file: NewFile | undefined;
  #bytes = 0;
  /** The first bytes, until the type is known. */
  #begin: Uint8Array[] = [];
  #type: ContentType | undefined;
  #isWhole = false;

  constructor(argument: Argument, clientName: string | undefined, folder: FileFolder) {
    this.argument = argument;
    this.#clientName = clientName;
    this.#folder = folder;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const most = fileLimit(this.argument);
    if (this.#bytes + bytes.length > most)
      throw refuse(
        'payload_too_large',
        `argument "${this.argument.name}": the file is larger than ${most} bytes`,
      );
    this.#bytes += bytes.length;
    this.#sha256.update(bytes);
    if (this.#file !== undefined) return await this.#file.write(bytes);
    this.#begin.push(new Uint8Array(bytes));
    if (this.#bytes >= SAMPLE_BYTES) await this.#create();
  }

  async end(): Promise<void> {
    if (this.#isAbsent()) return;
    const file = this.#file ?? (await this.#create());
    await file.close();
    this.#folder.handOver(file.path);
    this.#isWhole = true;
  }

  /** Undefined for an empty field of a browser's form. */
  result(): { readonly facts: ReceivedFile; readonly path: string } | undefined {
    const { name } = this.argument;
    if (!this.#isWhole || this.#file === undefined || this.#type === undefined) return undefined;
    const client = clientFileName(this.#clientName);
    const facts = {
      argument: name,
      ...(client === undefined ? {} : { name: client }),
      bytes: this.#bytes,
      type: this.#type.type,
      sha256: this.#sha256.digest('hex'),
    };
    return { facts, path: this.#file.path };
  }

  async close(): Promise<void> {
    if (!this.#isWhole) await this.#file?.close();
  }

  /** Checks the type, then writes what has arrived. */
  async #create(): Promise<NewFile> {
    const begin = Buffer.concat(this.#begin);
    this.#begin = [];
    const type = await contentType(begin.subarray(0, SAMPLE_BYTES));
    this.#type = type;
    const { name, accept = [] } = this.argument;
    if (!isAcceptedType(type, this.argument))
      throw refuse(
        'invalid_argument',
        `argument "${name}": the file is ${type.type} by its content, and ${accept.join(' or ')} is accepted`,
      );
    this.#file = await this.#folder.add(nameOf(name, type));
    await this.#file.write(begin);
    return this.#file;
  }

  /** A browser sends a field without a chosen file as a file without name and bytes. */
  #isAbsent(): boolean {
    return this.#bytes === 0 && this.#clientName === '';
  }
}

/**
 * The name of the argument, which the owner chose, with the usual ending of the content. The caller does not choose the ending: it
 * decides how many programs read a file, and some endings make it a script.
 */
function nameOf(argument: string, { ending }: ContentType): string {
  return ending === undefined ? argument : `${argument}.${ending}`;
}
