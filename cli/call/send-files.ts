import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Failure } from '../failure.ts';
import { Progress } from '../progress.ts';
import type { Field, Fields } from '../resource/fields.ts';
import { ask, failureOfResponse, type Service } from '../service/service.ts';
import { type InputCall, refuseOpaque, textPairs } from './text-values.ts';

interface FilesCall extends InputCall {
  /** The arguments that take files. */
  readonly files: ReadonlySet<unknown>;
}

/** Sends the values and then the files as one form, which is streamed: a file is never in memory as a whole. */
export async function sendFiles(
  service: Service,
  url: string,
  { values, headers, files }: FilesCall,
): Promise<Response> {
  const isFile = ({ name, path }: Field) => path !== undefined && files.has(name);
  const rest: Fields = { ...values, fields: values.fields.filter((field) => !isFile(field)) };
  refuseOpaque(rest);
  const boundary = `svc-${crypto.randomUUID()}`;
  const body = streamOf(formOf(boundary, textPairs(rest), values.fields.filter(isFile)));
  const posted = await ask(service, url, {
    method: 'POST',
    body,
    headers: { ...headers, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  });
  if (!posted.ok) throw await failureOfResponse(posted);
  return posted;
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

async function* formOf(
  boundary: string,
  values: readonly (readonly [string, string])[],
  files: readonly Field[],
): AsyncGenerator<Uint8Array> {
  const text = new TextEncoder();
  for (const [name, value] of values)
    yield text.encode(`--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`);
  for (const { name, path = '' } of files) {
    const type = 'Content-Type: application/octet-stream';
    yield text.encode(`--${boundary}\r\n${disposition(name, basename(path))}\r\n${type}\r\n\r\n`);
    yield* bytesOf(path, name);
    yield text.encode('\r\n');
  }
  yield text.encode(`--${boundary}--\r\n`);
}

function disposition(name: string, filename?: string): string {
  const header = `Content-Disposition: form-data; name="${escaped(name)}"`;
  return filename === undefined ? header : `${header}; filename="${escaped(filename)}"`;
}

/** As browsers write names (HTML, multipart/form-data encoding). */
function escaped(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

const PIECE_BYTES = 256 * 1024;

/** The bytes of a file, with the progress. */
async function* bytesOf(path: string, name: string): AsyncGenerator<Uint8Array> {
  await using file = await opened(path);
  const { size } = await file.stat();
  // A pipe has no size.
  using progress = new Progress({ label: name, total: size === 0 ? undefined : size });
  for (;;) {
    const { bytesRead, buffer } = await file.read(new Uint8Array(PIECE_BYTES), 0, PIECE_BYTES);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    progress.add(bytesRead);
  }
}

async function opened(path: string) {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${(error as Error).message}`);
  }
}
