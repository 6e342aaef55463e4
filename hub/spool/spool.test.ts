import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import type { Refusal } from '@svc/core/refusal';
import { type TemporaryFolder, temporaryFolder } from '../../test/temporary-folder.ts';
import { newId } from '../platform/db/fixtures/samples.ts';
import { FolderFiles } from '../platform/files/folder-files.ts';
import { HandClock } from '../platform/fixtures/hand-clock.ts';
import { Spool } from './spool.ts';
import { MIN_BYTES_PER_SEC, SLOW_AFTER_MS, SPOOL_UPLOAD_MS, UPLOAD_IDLE_MS } from './upload-pace.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

type Read = { value?: Uint8Array };

/** An upload whose caller sends one piece at a time. */
class Upload {
  readonly executionId = newId();
  readonly #reads: PromiseWithResolvers<Read>[] = [];
  #hasRead = Promise.withResolvers<void>();
  readonly outcome: Promise<unknown>;

  constructor(spool: Spool) {
    const read = () => {
      const one = Promise.withResolvers<Read>();
      this.#reads.push(one);
      this.#hasRead.resolve();
      return one.promise;
    };
    const body = { getReader: () => ({ read, cancel: async () => undefined }) };
    const input = { body, maxBytes: 2 ** 40, sha256: undefined };
    const workspace = { id: 'w1', plan: 'free' } as const;
    const caller = { callerKind: 'api_key', from: undefined } as const;
    const kept = spool.keep({ executionId: this.executionId, workspace, caller, args: [], input });
    this.outcome = kept.then(
      ({ kept: { bytes } }) => bytes,
      ({ code, message }: Refusal) => `${code}: ${message}`,
    );
  }

  /** Resolves when the hub waits for the next piece, or has ended the upload. */
  async reads(): Promise<void> {
    await Promise.race([this.#hasRead.promise, this.outcome]);
  }

  async send(bytes: number): Promise<void> {
    await this.reads();
    this.#hasRead = Promise.withResolvers();
    this.#reads.shift()?.resolve({ value: new Uint8Array(bytes) });
    await this.reads();
  }

  async end(): Promise<void> {
    await this.reads();
    this.#reads.shift()?.resolve({});
  }

  get isLeft(): boolean {
    return existsSync(join(folder.path, this.executionId));
  }
}

function spoolOf({ usedBytes = 0 } = {}) {
  const clock = new HandClock();
  const files = new FolderFiles(folder.path);
  const spool = new Spool({ files, clock, usedBytes: async () => usedBytes, isOfOneHub: false });
  return { clock, upload: () => new Upload(spool) };
}

describe('the room of the plan', () => {
  const nearlyFull = { usedBytes: (PLAN_LIMITS.free.artifactBytes ?? 0) - 3 };
  const refused = expect.stringMatching(/^quota_exceeded: the plan "free" has no room/);

  test('takes a body that fits, and refuses one byte more without leaving any', async () => {
    const { upload } = spoolOf(nearlyFull);
    const [fits, tooLarge] = [upload(), upload()];
    await fits.send(3);
    await fits.end();
    expect([await fits.outcome, fits.isLeft]).toEqual([3, true]);
    await tooLarge.send(4);
    expect([await tooLarge.outcome, tooLarge.isLeft]).toEqual([refused, false]);
  });

  test('holds for the uploads at once together', async () => {
    const { upload } = spoolOf(nearlyFull);
    const [first, second] = [upload(), upload()];
    await first.send(2);
    await second.send(2);
    expect([await second.outcome, second.isLeft]).toEqual([refused, false]);
    await first.end();
    expect(await first.outcome).toBe(2);
  });
});

describe('an upload ends, and leaves nothing,', () => {
  test('without a byte for some time', async () => {
    const { clock, upload } = spoolOf();
    const one = upload();
    await one.send(1);
    clock.move(UPLOAD_IDLE_MS - 1);
    await one.send(1);
    clock.move(UPLOAD_IDLE_MS);
    expect(await one.outcome).toBe('cancelled: the input was cut off: no byte came for 45 seconds');
    expect(one.isLeft).toBe(false);
  });

  test('with few bytes for a long time', async () => {
    const { clock, upload } = spoolOf();
    const [slow, fast] = [upload(), upload()];
    const stepMs = 30_000;
    const enough = (stepMs / 1000) * MIN_BYTES_PER_SEC;
    for (let ms = 0; ms <= SLOW_AFTER_MS; ms += stepMs) {
      await Promise.all([slow.reads(), fast.reads()]);
      clock.move(stepMs);
      await slow.send(enough - 1);
      await fast.send(enough);
    }
    expect(await slow.outcome).toBe(
      `cancelled: the input was cut off: fewer than ${MIN_BYTES_PER_SEC} bytes a second came`,
    );
    await fast.end();
    expect([slow.isLeft, fast.isLeft, typeof (await fast.outcome)]).toEqual([false, true, 'number']);
  });

  test('after an hour', async () => {
    const { clock, upload } = spoolOf();
    const one = upload();
    await one.reads();
    for (let ms = 0; ms < SPOOL_UPLOAD_MS; ms += 30_000) {
      clock.move(30_000);
      await one.send(30 * MIN_BYTES_PER_SEC);
    }
    expect(await one.outcome).toBe('cancelled: the input was cut off: its upload took more than an hour');
    expect(one.isLeft).toBe(false);
  });
});
