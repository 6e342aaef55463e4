import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Argument } from '@svc/core/endpoint/definition';
import type { ApprovedFile } from '@svc/core/execution/received-file';
import type { Refusal } from '@svc/core/refusal';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import type { InputPiece } from '../runner/runner.ts';
import { FileFolders } from './file-folders.ts';
import { receiveFiles } from './receive-files.ts';

const args = [
  { name: 'image', type: 'file' },
  { name: 'mask', type: 'file' },
] as unknown as readonly Argument[];

function fileOf(argument: string, text: string): ApprovedFile {
  return { argument, bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
}

/** The arguments that were received from a form with an image and a mask, or the code of the refusal. */
async function receive(approved: readonly ApprovedFile[] | undefined): Promise<unknown> {
  await using own = await temporaryFolder();
  const data = new FormData();
  data.append('image', new Blob(['abc']), 'image.txt');
  data.append('mask', new Blob(['def']), 'mask.txt');
  const request = new Request('http://localhost', { method: 'POST', body: data });
  const contentType = request.headers.get('content-type') ?? '';
  const pieces: InputPiece[] = [{ kind: 'bytes', bytes: await request.bytes() }, { kind: 'end' }];
  const folder = new FileFolders(join(own.path, 'files')).create('one', undefined);
  const next = async (): Promise<InputPiece> => pieces.shift() ?? { kind: 'end' };
  return await receiveFiles({ contentType, args, approved }, { next }, folder).then(
    ({ files }) => files.map(({ argument }) => argument),
    ({ code }: Refusal) => code,
  );
}

const image = fileOf('image', 'abc');
const mask = fileOf('mask', 'def');

test.each([
  ['no approval', undefined],
  ['the approved files', [image, mask]],
  ['the approved files in another order', [mask, image]],
])('files are received with %s', async (_, approved) => {
  expect(await receive(approved)).toEqual(['image', 'mask']);
});

test.each([
  ['other bytes', [image, fileOf('mask', 'dEf')]],
  ['another length', [image, { ...mask, bytes: 4 }]],
  ['the bytes of another argument', [fileOf('image', 'def'), fileOf('mask', 'abc')]],
  ['a file less', [image]],
  ['a file more', [image, mask, fileOf('other', 'abc')]],
  ['no file', []],
])('files are refused if %s were approved', async (_, approved) => {
  expect(await receive(approved)).toBe('agent_refused');
});
