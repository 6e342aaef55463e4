import type { Argument } from '../../endpoint/definition.ts';
import { fileArguments } from '../../endpoint/file-arguments.ts';
import { LIMITS } from '../../plan/limits.ts';
import { LINK_LIMITS } from '../../protocol/limits.ts';
import { refuse } from '../../refusal.ts';
import { type CallInput, callInput } from '../call-body.ts';
import { type FormLimits, FormReader } from './form-reader.ts';

type FormRequest = Parameters<typeof callInput>[0];
type Reader = ReturnType<NonNullable<CallInput['body']>['getReader']>;

/** The values of a form, and the whole form as input for the agent. */
export interface ReadForm {
  /** The fields before the first file. */
  readonly values: readonly (readonly [name: string, text: string])[];
  readonly input: CallInput;
}

/** The limits of a form for an endpoint with these arguments. */
export function formLimits(args: readonly Argument[]): FormLimits {
  // A few more, so that the refusal can name a wrong or repeated name.
  const more = 5;
  return {
    fields: args.length + more,
    fieldBytes: LIMITS.valueBytes,
    files: fileArguments(args).length + more,
  };
}

/**
 * Reads the values of a form, which come before its files (decision 76, files of a call). It waits for no byte of a file. The
 * input begins with the bytes that were read, so the agent reads the whole form.
 *
 * @throws `invalid_argument` for a form that cannot be read or has a file for another argument, `payload_too_large`, and what
 *   `callInput` throws
 */
export async function readForm(
  request: FormRequest,
  args: readonly Argument[],
  maxBytes: number,
): Promise<ReadForm> {
  const input = callInput(request, maxBytes);
  const contentType = request.headers.get('content-type') ?? '';
  // The order for the agent contains it, and an agent disconnects from a hub whose frame it cannot read.
  if (contentType.length > LINK_LIMITS.mediaTypeChars)
    throw refuse(
      'invalid_argument',
      `the Content-Type has more than ${LINK_LIMITS.mediaTypeChars} characters`,
    );
  const reader = input.body?.getReader();
  const values: [string, string][] = [];
  const read: Uint8Array[] = [];
  let firstFile: string | undefined;
  const form = new FormReader(contentType, formLimits(args), {
    field(name, text) {
      if (firstFile === undefined) values.push([name, text]);
    },
    file(name) {
      firstFile ??= name;
      return { write: async () => undefined, end: async () => undefined };
    },
  });
  try {
    let length = 0;
    while (firstFile === undefined) {
      const piece = (await reader?.read().catch(callerLeft))?.value;
      if (piece === undefined) {
        await form.end();
        break;
      }
      read.push(piece);
      length += piece.length;
      await form.write(piece);
      if (firstFile === undefined && length > LIMITS.formStartBytes)
        throw refuse(
          'payload_too_large',
          `the form has more than ${LIMITS.formStartBytes} bytes before its first file`,
        );
    }
    if (firstFile !== undefined) refuseUnlessFileArgument(firstFile, args);
  } catch (error) {
    void reader?.cancel().catch(() => undefined);
    throw error;
  }
  return { values, input: { ...input, form: contentType, body: replayed(read, reader) } };
}

function callerLeft(): never {
  throw refuse('cancelled', 'the caller left before its form was read');
}

/** @throws `invalid_argument` unless the argument takes a file */
export function refuseUnlessFileArgument(name: string, args: readonly Argument[]): void {
  const takers = fileArguments(args).map((argument) => argument.name);
  if (takers.includes(name)) return;
  const shown = JSON.stringify(name.slice(0, 100));
  const message = args.some((argument) => argument.name === name)
    ? `argument ${shown} takes a text, and the form has a file for it`
    : `there is no argument ${shown} that takes a file; there is ${takers.join(', ')}`;
  throw refuse('invalid_argument', message);
}

/** A body that begins with what was read of it. */
function replayed(read: Uint8Array[], reader: Reader | undefined): CallInput['body'] {
  return {
    getReader: () => ({
      async read() {
        const piece = read.shift();
        return piece === undefined ? ((await reader?.read()) ?? {}) : { value: piece };
      },
      async cancel() {
        await reader?.cancel();
      },
    }),
  };
}
