import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { decodeOutputFrame, encodeOutputFrame } from '@svc/core/protocol/output-frame';
import fc from 'fast-check';
import { Space } from './space.ts';
import { UnsentOutput } from './unsent-output.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-unsent-'));
  folder = join(root, 'x');
});
afterEach(() => rmSync(root, { recursive: true }));

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

function message(
  seq: number,
  bytes = 10,
  room?: (length: number) => Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(bytes).fill(seq % 251);
  const frame = { kind: 'result', executionId: ID, seq, endings: undefined, bytes: content } as const;
  return encodeOutputFrame(frame, room);
}

function seqOf(bytes: Uint8Array): number {
  const decoded = decodeOutputFrame(bytes);
  if (decoded.kind === 'refused') throw new Error(decoded.message);
  const { seq, bytes: content } = decoded.frame;
  const expected = new Uint8Array(content.length).fill(seq % 251);
  if (Buffer.compare(content, expected) !== 0) throw new Error('another message under this number');
  return seq;
}

/** Sends everything that may be sent now and returns the numbers. */
function send(output: UnsentOutput): number[] {
  const seqs: number[] = [];
  for (let next = output.next(); next !== undefined; next = output.next()) {
    seqs.push(seqOf(next));
    output.sent();
  }
  return seqs;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe.each([
  ['in memory', new Space()],
  ['on disk', new Space({ memoryBytes: 0 })],
])('%s', (_, space) => {
  test('each message is sent once, in order', () => {
    const output = new UnsentOutput(folder, space);
    for (const seq of range(1, 5)) output.append(message(seq));
    expect(send(output)).toEqual([1, 2, 3, 4, 5]);
    expect(output.isSent).toBe(true);
    output.append(message(6));
    expect(output.isSent).toBe(false);
    expect(send(output)).toEqual([6]);
    output.drop();
  });

  test('after a reconnect it continues after what the hub has stored', () => {
    const output = new UnsentOutput(folder, space);
    for (const seq of range(1, 9)) output.append(message(seq));
    send(output);
    output.acknowledge(3);
    output.rewind(5);
    expect(send(output)).toEqual([6, 7, 8, 9]);
    output.rewind(0);
    expect(send(output)).toEqual([6, 7, 8, 9]);
    output.rewind(9);
    expect(send(output)).toEqual([]);
    expect(output.isSent).toBe(true);
  });

  test('a process that restarts has all unacknowledged messages', () => {
    const output = new UnsentOutput(folder, space);
    for (const seq of range(1, 9)) output.append(message(seq));
    send(output);
    output.acknowledge(4);
    const kept = output.keep();
    output.close();
    const again = UnsentOutput.restore(folder, space, kept, 9);
    again.rewind(4);
    expect(send(again)).toEqual([5, 6, 7, 8, 9]);
    expect(again.lastSeq).toBe(9);
    again.drop();
    output.drop();
    expect(existsSync(folder)).toBe(false);
  });

  test('the window bounds the messages in flight', () => {
    const output = new UnsentOutput(folder, space);
    const bytes = LINK_LIMITS.windowBytes / 16;
    for (const seq of range(1, 40)) output.append(message(seq, bytes));
    expect(output.isWindowUsed).toBe(true);
    expect(send(output)).toEqual(range(1, 16));
    output.acknowledge(2);
    expect(send(output)).toEqual([17, 18]);
    output.rewind(2);
    expect(send(output)).toEqual(range(3, 18));
    output.acknowledge(40);
    expect(output.isWindowUsed).toBe(false);
  });

  test('a hub that acknowledges unsent messages gets the rest', () => {
    const output = new UnsentOutput(folder, space);
    for (const seq of range(1, 6)) output.append(message(seq));
    output.acknowledge(4);
    expect(send(output)).toEqual([5, 6]);
    output.acknowledge(99);
    expect(output.isSent).toBe(true);
  });
});

test('any sequence of events delivers every message, in order and without a gap', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('append' as const),
        bytes: fc.integer({ min: 1, max: 30_000 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('send' as const), count: fc.nat(4) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('acknowledge' as const),
        part: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('reconnect' as const, 'restart' as const, 'keep' as const),
      }),
    },
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 0, max: 200_000 }),
      (steps, memoryBytes) => {
        rmSync(folder, { recursive: true, force: true });
        let space = new Space({ memoryBytes });
        let output = new UnsentOutput(folder, space);
        let stored = 0;
        const receive = (bytes: Uint8Array) => {
          const seq = seqOf(bytes);
          if (seq > stored + 1) throw new Error(`${seq} after ${stored}`);
          stored = Math.max(stored, seq);
        };
        for (const it of steps) {
          if (it.do === 'append') {
            output.append(message(output.lastSeq + 1, it.bytes));
          } else if (it.do === 'send') {
            for (let n = 0; n < it.count; n += 1) {
              const next = output.next();
              if (next === undefined) break;
              receive(next);
              output.sent();
            }
          } else if (it.do === 'acknowledge') {
            output.acknowledge(Math.floor(stored * it.part));
          } else if (it.do === 'reconnect') {
            output.rewind(stored);
          } else {
            const kept = output.keep();
            if (it.do === 'keep') continue;
            const { lastSeq } = output;
            output.close();
            space = new Space({ memoryBytes });
            output = UnsentOutput.restore(folder, space, kept, lastSeq);
            output.rewind(stored);
          }
        }
        output.rewind(stored);
        for (let next = output.next(); next !== undefined; next = output.next()) {
          receive(next);
          output.sent();
        }
        expect(stored).toBe(output.lastSeq);
        output.drop();
        expect(existsSync(folder)).toBe(false);
        expect([space.overflows(memoryBytes), space.overflows(memoryBytes + 1)]).toEqual([false, true]);
        space.takeDisk(LINK_LIMITS.unsentDiskBytes - 1);
        expect(space.isFull).toBe(false);
        space.takeDisk(1);
        expect(space.isFull).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

describe('the shared storage', () => {
  test('output that exceeds memory goes to disk, from its beginning', () => {
    const space = new Space({ memoryBytes: 1_000 });
    const output = new UnsentOutput(folder, space);
    output.append(message(1, 900));
    expect(existsSync(folder)).toBe(false);
    output.append(message(2, 900));
    expect(readdirSync(folder)).toEqual(['0']);
    expect(space.overflows(1_000)).toBe(false);
    expect(send(output)).toEqual([1, 2]);
    output.drop();
  });

  test('acknowledged output is not written to disk', () => {
    const space = new Space({ memoryBytes: 1_000 });
    const output = new UnsentOutput(folder, space);
    for (const seq of range(1, 3)) output.append(message(seq, 250));
    output.acknowledge(1);
    output.append(message(4, 900));
    expect(statSync(join(folder, '0')).size).toBeLessThan(250 + 250 + 900 + 250);
    output.drop();
    expect([space.overflows(1_000), space.overflows(1_001)]).toEqual([false, true]);
  });

  test('it is full at the disk limit, until an acknowledgement', () => {
    const space = new Space({ memoryBytes: 0, diskBytes: 2_000 });
    const output = new UnsentOutput(folder, space);
    output.append(message(1, 1_500));
    expect(space.isFull).toBe(false);
    output.append(message(2, 1_500));
    expect(space.isFull).toBe(true);
    output.acknowledge(1);
    expect(space.isFull).toBe(false);
    output.drop();
  });

  test('a failing disk makes it full, loses nothing, and is reported once', () => {
    const causes: unknown[] = [];
    const space = new Space({ memoryBytes: 1_000, onDiskFailure: (cause) => causes.push(cause) });
    const output = new UnsentOutput('/dev/null/folder', space);
    for (const seq of range(1, 4)) output.append(message(seq, 900));
    expect(space.isFull).toBe(true);
    expect(causes).toEqual([expect.objectContaining({ code: 'ENOTDIR' })]);
    expect(send(output)).toEqual([1, 2, 3, 4]);
    output.acknowledge(4);
    expect(space.isFull).toBe(false);
  });

  test('acknowledgements free disk space while the command runs', () => {
    const output = new UnsentOutput(folder, new Space({ memoryBytes: 0 }));
    const megabyte = 1024 * 1024;
    let most = 0;
    for (const seq of range(1, 480)) {
      output.append(message(seq, megabyte / 4));
      output.acknowledge(seq - 3);
      const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
      most = Math.max(
        most,
        sizes.reduce((sum, size) => sum + size, 0),
      );
    }
    expect(most).toBeLessThan(36 * megabyte);
    output.rewind(477);
    expect(send(output)).toEqual([478, 479, 480]);
    output.drop();
  });
});

test('after a temporary disk failure the next process finds everything', () => {
  const output = new UnsentOutput(folder, new Space({ memoryBytes: 0 }));
  const messages = 16 * 4;
  for (const seq of range(1, messages)) output.append(message(seq, 256 * 1024));
  // The next message needs another file in the folder, which does not exist now.
  renameSync(folder, `${folder}-away`);
  writeFileSync(folder, '');
  output.append(message(messages + 1));
  rmSync(folder);
  renameSync(`${folder}-away`, folder);
  output.append(message(messages + 2));
  output.acknowledge(messages - 1);
  expect(output.keep()).toBeUndefined();
  output.close();
  const again = UnsentOutput.restore(folder, new Space(), undefined, messages + 2);
  again.rewind(messages - 1);
  expect(send(again)).toEqual(range(messages, messages + 2));
});

test('a process that restarts after everything was acknowledged has nothing to send', () => {
  const output = new UnsentOutput(folder, new Space({ memoryBytes: 0 }));
  for (const seq of range(1, 3)) output.append(message(seq));
  const kept = output.keep();
  output.acknowledge(3);
  expect(existsSync(folder)).toBe(false);
  const again = UnsentOutput.restore(folder, new Space(), kept, 3);
  expect(send(again)).toEqual([]);
  expect({ lastSeq: again.lastSeq, isSent: again.isSent }).toEqual({ lastSeq: 3, isSent: true });
  again.drop();
  expect(existsSync(folder)).toBe(false);
});

test('messages before a gap are dropped', () => {
  const kept = [4, 3, 1].map((seq) => message(seq).toBase64());
  expect(send(UnsentOutput.restore(folder, new Space(), kept, 4))).toEqual([3, 4]);
});

test('a file that a machine crash cut is read up to the cut', () => {
  const space = new Space({ memoryBytes: 0 });
  const output = new UnsentOutput(folder, space);
  for (const seq of range(1, 3)) output.append(message(seq, 100));
  output.keep();
  output.close();
  truncateSync(join(folder, '0'), 300);
  const again = UnsentOutput.restore(folder, new Space(), undefined, 3);
  expect(send(again)).toEqual([1, 2]);
  expect(again.isSent).toBe(true);
});

describe('a flipped bit on the disk', () => {
  const MESSAGES = 5;

  /** Flips a bit of a byte of the file, counted from its begin. */
  function flip(at: number): void {
    const bytes = readFileSync(join(folder, '0'));
    bytes.writeUInt8((bytes[at] ?? 0) ^ 4, at);
    writeFileSync(join(folder, '0'), bytes);
  }

  function onDisk() {
    const damages: unknown[] = [];
    const space = new Space({ memoryBytes: 0, onDamage: (cause) => damages.push(cause) });
    const output = new UnsentOutput(folder, space);
    for (const seq of range(1, MESSAGES)) output.append(message(seq, 3));
    output.keep();
    return { output, space, damages };
  }

  test('is never delivered, wherever it is: the output ends before it and reports it once', () => {
    const { output } = onDisk();
    const { size } = statSync(join(folder, '0'));
    output.drop();
    // The first four bytes are the format of the file.
    for (const at of range(4, size - 1)) {
      const { output, damages } = onDisk();
      flip(at);
      const seqs = send(output);
      // A damaged length does not matter: memory has the right one.
      const before = seqs.length;
      expect(seqs).toEqual(range(1, before));
      expect({ isCut: output.isCut, damages: damages.length, lastSeq: output.lastSeq }).toEqual({
        isCut: before < MESSAGES,
        damages: before < MESSAGES ? 1 : 0,
        lastSeq: before,
      });
      output.append(message(before + 1));
      expect(output.isSent).toBe(before < MESSAGES);
      output.close();
      output.drop();
    }
  });

  test('is found by the next process, wherever it is', () => {
    const { output } = onDisk();
    const { size } = statSync(join(folder, '0'));
    output.drop();
    for (const at of range(4, size - 1)) {
      const { output, space, damages } = onDisk();
      output.close();
      flip(at);
      const again = UnsentOutput.restore(folder, space, undefined, MESSAGES);
      const seqs = send(again);
      expect(seqs).toEqual(range(1, seqs.length));
      expect([seqs.length < MESSAGES, again.isCut, damages.length]).toEqual([true, true, 1]);
      again.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test('the ring reuses its memory however much output passes', () => {
  const output = new UnsentOutput(folder, new Space());
  const buffers = new Set<ArrayBuffer>();
  for (let seq = 1; seq <= 300; seq += 1) {
    const room = (length: number) => output.room(length);
    const written = message(seq, 250_000, room);
    output.append(written);
    if (seq > 50) buffers.add(written.buffer);
    send(output);
    // Acknowledges like a hub that is half a window behind.
    output.acknowledge(seq - 8);
  }
  expect(buffers.size).toBe(1);
});

test('much output, partly on disk and acknowledged late, is sent unchanged', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ append: fc.integer({ min: 1, max: 500_000 }) }) },
    { weight: 2, arbitrary: fc.record({ acknowledge: fc.double({ min: 0, max: 1, noNaN: true }) }) },
    { weight: 1, arbitrary: fc.constant({ reconnect: true }) },
  );
  const memoryBytes = fc.constantFrom(0, 1_000_000, 8 * 1024 * 1024);
  fc.assert(
    fc.property(memoryBytes, fc.array(step, { minLength: 40, maxLength: 100 }), (memory, steps) => {
      const output = new UnsentOutput(folder, new Space({ memoryBytes: memory }));
      // Enough short messages that the ring is used.
      for (let seq = 1; seq <= 40; seq += 1) output.append(message(seq, 10, (length) => output.room(length)));
      let acknowledged = 0;
      let sent = 0;
      for (const it of steps) {
        if ('append' in it) {
          const seq = output.lastSeq + 1;
          output.append(message(seq, it.append, (length) => output.room(length)));
        } else if ('acknowledge' in it) {
          acknowledged += Math.floor((sent - acknowledged) * it.acknowledge);
          output.acknowledge(acknowledged);
        } else {
          output.rewind(acknowledged);
          sent = acknowledged;
        }
        // The send function checks that each message has the right number and bytes.
        for (const seq of send(output)) {
          expect(seq).toBe(sent + 1);
          sent = seq;
        }
      }
      output.drop();
    }),
    { numRuns: 20 },
  );
});
