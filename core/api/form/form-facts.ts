import type { Argument } from '../../endpoint/definition.ts';
import { fileArguments, fileLimit } from '../../endpoint/file-arguments.ts';
import { contentType, isAcceptedType, SAMPLE_BYTES } from '../../execution/content-type.ts';
import { clientFileName, type ReceivedFile } from '../../execution/received-file.ts';
import { refuse } from '../../refusal.ts';
import { type FilePart, FormReader } from './form-reader.ts';
import { formLimits, refuseUnlessFileArgument } from './read-form.ts';

/** SHA-256. */
export interface Sha256 {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

/**
 * The facts of the files in a form, with the checks that the agent makes of them, and without keeping them. Methods reject with the
 * refusal that says what is wrong with the form.
 */
export class FormFacts {
  readonly #reader: FormReader;
  readonly #files: FileFacts[] = [];

  constructor(
    form: { readonly contentType: string; readonly args: readonly Argument[] },
    newSha256: () => Sha256,
  ) {
    const { contentType: type, args } = form;
    this.#reader = new FormReader(type, formLimits(args), {
      field: (name) => this.#refuseLateField(name),
      file: (name, filename) => {
        const argument = argumentOf(name, args);
        if (this.#files.some((file) => file.argument === argument))
          throw refuse('invalid_argument', `argument "${name}" is given twice; give it once`);
        const file = new FileFacts(argument, filename, newSha256());
        this.#files.push(file);
        return file;
      },
    });
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#reader.write(bytes);
  }

  /** The facts, in the order of the form. */
  async end(): Promise<ReceivedFile[]> {
    await this.#reader.end();
    return this.#files.flatMap(({ facts }) => facts ?? []);
  }

  /** Values before the first file were read with the call. */
  #refuseLateField(name: string): void {
    if (this.#files.length === 0) return;
    throw refuse(
      'invalid_argument',
      `the form has the value ${JSON.stringify(name.slice(0, 100))} after a file: values come before files, or in the query`,
    );
  }
}

function argumentOf(name: string, args: readonly Argument[]): Argument {
  refuseUnlessFileArgument(name, args);
  return fileArguments(args).find((one) => one.name === name) as Argument;
}

/** The facts of one file, read piece by piece. Its type must be accepted by the argument; undefined: any type is. */
export class FileFacts implements FilePart {
  /** Known after the end; undefined for an empty field of a browser's form. */
  facts: ReceivedFile | undefined;
  readonly argument: Argument;
  readonly #clientName: string | undefined;
  readonly #sha256: Sha256;
  readonly #sample = new Uint8Array(SAMPLE_BYTES);
  #bytes = 0;

  constructor(argument: Argument, clientName: string | undefined, sha256: Sha256) {
    this.argument = argument;
    this.#clientName = clientName;
    this.#sha256 = sha256;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const most = fileLimit(this.argument);
    const before = this.#bytes;
    if (before + bytes.length > most)
      throw refuse(
        'payload_too_large',
        `argument "${this.argument.name}": the file is larger than ${most} bytes`,
      );
    if (before < SAMPLE_BYTES) this.#sample.set(bytes.subarray(0, SAMPLE_BYTES - before), before);
    this.#bytes += bytes.length;
    this.#sha256.update(bytes);
    if (before < SAMPLE_BYTES && this.#bytes >= SAMPLE_BYTES) await this.#type();
  }

  async end(): Promise<void> {
    // A browser sends a field without a chosen file as a file without name and bytes.
    if (this.#bytes === 0 && this.#clientName === '') return;
    const name = clientFileName(this.#clientName);
    this.facts = {
      argument: this.argument.name,
      ...(name === undefined ? {} : { name }),
      bytes: this.#bytes,
      type: await this.#type(),
      sha256: this.#sha256.digest('hex'),
    };
  }

  async #type(): Promise<string> {
    const found = await contentType(this.#sample.subarray(0, this.#bytes));
    const { name, accept = [] } = this.argument;
    if (isAcceptedType(found, this.argument)) return found.type;
    throw refuse(
      'invalid_argument',
      `argument "${name}": the file is ${found.type} by its content, and ${accept.join(' or ')} is accepted`,
    );
  }
}
