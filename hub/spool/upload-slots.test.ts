import { expect, test } from 'bun:test';
import type { Refusal } from '@svc/core/refusal';
import { type Upload, type Uploader, UploadSlots } from './upload-slots.ts';

function slots() {
  const all = new UploadSlots();
  const take = (workspaceId: string, callerKind: Uploader['callerKind'], from: string) => {
    try {
      return all.take({ workspaceId, callerKind, from });
    } catch (error) {
      return (error as Refusal).code;
    }
  };
  return {
    release: (upload: Upload | string) => all.release(upload as Upload),
    bytesOf: (workspaceId: string) => all.bytesOf(workspaceId),
    anonymous: (workspaceId: string, from: string) => take(workspaceId, 'anonymous', from),
    known: (workspaceId: string, from = '192.0.2.1') => take(workspaceId, 'api_key', from),
    member: (workspaceId: string) => take(workspaceId, 'member', '192.0.2.1'),
  };
}

test('anonymous callers take two slots of a workspace, and none of its members and keys', () => {
  const { anonymous, known, member } = slots();
  const taken = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((from) => anonymous('w1', from));
  expect(taken).toEqual([expect.any(Object), expect.any(Object), 'concurrency_limited']);
  expect([known('w1'), member('w1'), known('w1'), member('w1'), known('w1'), member('w1')]).toEqual([
    ...Array.from({ length: 4 }, () => expect.any(Object)),
    'concurrency_limited',
    'concurrency_limited',
  ]);
  expect(anonymous('w2', '192.0.2.3')).toEqual(expect.any(Object));
});

test('members and keys take no slot of anonymous callers', () => {
  const { anonymous, known } = slots();
  for (let one = 0; one < 4; one += 1) known('w1');
  expect(anonymous('w1', '192.0.2.1')).toEqual(expect.any(Object));
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::ffff:2'],
])('an anonymous caller from %s has one slot, whatever the workspace', (from, again) => {
  const { anonymous, release } = slots();
  const first = anonymous('w1', from);
  expect([anonymous('w1', again), anonymous('w2', again)]).toEqual([
    'concurrency_limited',
    'concurrency_limited',
  ]);
  release(first);
  expect(anonymous('w2', again)).toEqual(expect.any(Object));
});

test('anonymous callers take half the slots of a hub, and all callers no more than it has', () => {
  const { anonymous, known } = slots();
  for (let one = 0; one < 16; one += 1)
    expect(anonymous(`w${one}`, `192.0.2.${one}`)).toEqual(expect.any(Object));
  expect(anonymous('w16', '192.0.2.16')).toBe('unavailable');
  for (let one = 0; one < 16; one += 1) expect(known(`w${one}`)).toEqual(expect.any(Object));
  expect(known('w16')).toBe('unavailable');
});

test('the bytes of a workspace are those of all its uploads', () => {
  const { anonymous, known, bytesOf, release } = slots();
  const uploads = [anonymous('w1', '192.0.2.1'), known('w1'), known('w2')] as Upload[];
  for (const [index, upload] of uploads.entries()) upload.bytes = 10 ** index;
  expect([bytesOf('w1'), bytesOf('w2'), bytesOf('w3')]).toEqual([11, 100, 0]);
  release(uploads[0] as Upload);
  expect(bytesOf('w1')).toBe(10);
});
