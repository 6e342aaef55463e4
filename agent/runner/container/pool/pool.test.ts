import { afterEach, describe, expect, test } from 'bun:test';
import { EngineError } from '../engine.ts';
import { type LocalContainer, LocalEngine } from '../fixtures/local-engine.ts';
import { BARE, ContainerPool, SPARE } from './pool.ts';

const LIMITS = { vcpus: 1, memoryBytes: 512 * 1024 * 1024 };
const REQUEST = { limits: LIMITS, network: false };
const opened: { engine: LocalEngine; pool: ContainerPool }[] = [];

afterEach(async () => {
  for (const { engine, pool } of opened.splice(0)) {
    await pool.close();
    await engine[Symbol.asyncDispose]();
  }
});

function poolOf(maxWaiting: number, troubles: unknown[] = [], engine = new LocalEngine()) {
  const pool = new ContainerPool({
    engine,
    prepare: BARE,
    maxWaiting,
    onTrouble: (cause) => troubles.push(cause),
  });
  opened.push({ engine, pool });
  return { engine, pool };
}

function refusal(pool: Pick<ContainerPool, 'take'>): Promise<string> {
  return pool.take(REQUEST).then(
    () => 'none',
    (error: Error) => error.message,
  );
}

test('one container waits before the first request, with lower limits than those of a command', async () => {
  const { engine, pool } = poolOf(5);
  await engine.makes(1);
  const { container } = await pool.take(REQUEST);
  expect(engine.made.map(({ id }): string => id)).toEqual([container.id]);
  expect(engine.made[0]?.request.limits.memoryBytes).toBeLessThan(LIMITS.memoryBytes);
  expect(engine.made[0]?.limits).toEqual([LIMITS]);
});

test('no container is used twice', async () => {
  const { pool } = poolOf(5);
  const taken = await Promise.all(Array.from({ length: 12 }, () => pool.take(REQUEST)));
  expect(new Set(taken.map(({ container }) => container.id)).size).toBe(12);
});

test('after a burst as many wait as it took, up to the limit', async () => {
  const { engine, pool } = poolOf(3);
  await Promise.all(Array.from({ length: 6 }, () => pool.take(REQUEST)));
  const made = engine.made.length;
  pool.refillSoon();
  await engine.makes(made + 3);
  await Promise.all(Array.from({ length: 3 }, () => pool.take(REQUEST)));
  expect(engine.made).toHaveLength(made + 3);
});

test('with a limit of zero each container is created on request', async () => {
  const { engine, pool } = poolOf(0);
  expect(engine.made).toEqual([]);
  await pool.take(REQUEST);
  expect(engine.made).toHaveLength(1);
});

test('a container with a network or a shared workspace is never a waiting one', async () => {
  const { engine, pool } = poolOf(1);
  await engine.makes(1);
  const [first] = engine.made;
  const { container } = await pool.take({ ...REQUEST, workspace: '/volume' });
  expect(container.id).not.toBe(first?.id ?? '');
  expect(engine.made[1]?.request).toEqual({ ...REQUEST, workspace: '/volume' });
});

test('a container that ended while it waited is not used', async () => {
  const { engine, pool } = poolOf(1);
  const first = await pool.take(REQUEST);
  pool.refillSoon();
  await engine.makes(2);
  const waiting = engine.made[1];
  await waiting?.remove();
  const second = await pool.take(REQUEST).catch(() => pool.take(REQUEST));
  expect([first.container.id, waiting?.id]).not.toContain(second.container.id);
});

test('a waiting container that refuses its limits because it just ended is replaced by the next', async () => {
  const { engine, pool } = poolOf(1);
  await engine.makes(1);
  const [first] = engine.made as [LocalContainer];
  first.limit = () => Promise.reject(new EngineError('it has no control group'));
  expect((await pool.take(REQUEST)).container.id).not.toBe(first.id);
});

test('a broken engine is reported to each request, and works again after its recovery', async () => {
  const troubles: unknown[] = [];
  const { engine, pool } = poolOf(1, troubles);
  await pool.take(REQUEST);
  engine.broken = new EngineError('the disk is full');
  expect(await refusal(pool)).toBe('the disk is full');
  engine.broken = undefined;
  expect((await pool.take(REQUEST)).container.id).toBe(engine.made.at(-1)?.id ?? '');
});

test('a closed pool removes its waiting containers and refuses requests', async () => {
  const { engine, pool } = poolOf(1);
  await engine.makes(1);
  await pool.close();
  expect(engine.made.map(({ isRemoved }) => isRemoved)).toEqual([true]);
  expect(await refusal(pool)).toContain('disposed');
});

test('a container that never gets ready is abandoned and removed', async () => {
  const engine = new LocalEngine({ command: ['sleep', '600'] });
  const pool = new ContainerPool({
    engine,
    prepare: BARE,
    maxWaiting: 0,
    onTrouble: () => {},
    readyWithinMs: 50,
  });
  opened.push({ engine, pool });
  expect(await refusal(pool)).toBe('a container was not ready within 0.05 s');
  expect(engine.made.map(({ isRemoved }) => isRemoved)).toEqual([true]);
});

test('a waiting container that cannot be removed blocks neither the pool nor its closing', async () => {
  const troubles: unknown[] = [];
  const engine = new LocalEngine();
  engine.stuck = new EngineError('the engine is gone');
  const { pool } = poolOf(1, troubles, engine);
  await engine.makes(1);
  await pool.close();
  expect(troubles).toEqual([engine.stuck]);
});

describe('what is prepared for a container', () => {
  /** A pool whose containers each have a numbered preparation. */
  function preparingPool(maxWaiting: number) {
    const engine = new LocalEngine();
    const troubles: unknown[] = [];
    const discarded: number[] = [];
    let count = 0;
    const prepare = () => {
      count += 1;
      const number = count;
      const discard = () => Promise.resolve(void discarded.push(number));
      return Promise.resolve({ number, request: { ...SPARE, output: `/volume/${number}` }, discard });
    };
    const pool = new ContainerPool({ engine, prepare, maxWaiting, onTrouble: (it) => troubles.push(it) });
    opened.push({ engine, pool });
    return { engine, pool, discarded, troubles };
  }

  test('comes with it, and stays when it was taken', async () => {
    const { engine, pool, discarded } = preparingPool(1);
    await engine.makes(1);
    const { channel, prepared } = await pool.takeAhead(LIMITS);
    expect(engine.made[0]?.request.output).toBe('/volume/1');
    expect([channel.container.id, prepared.number]).toEqual([engine.made[0]?.id ?? '', 1]);
    await pool.close();
    expect(discarded).not.toContain(1);
  });

  test('is discarded after its container, when the pool closes or the container ends', async () => {
    const { engine, pool, discarded } = preparingPool(1);
    await engine.makes(1);
    await engine.made[0]?.remove();
    const { channel, prepared } = await pool.takeAhead(LIMITS).catch(() => pool.takeAhead(LIMITS));
    pool.discard({ channel, prepared });
    await pool.close();
    expect(discarded.toSorted()).toEqual(engine.made.map((_, at) => at + 1));
    expect(engine.made.every(({ isRemoved }) => isRemoved)).toBe(true);
  });

  test('is discarded when no container can be made for it', async () => {
    const { engine, pool, discarded } = preparingPool(0);
    engine.broken = new EngineError('the disk is full');
    expect(await refusal(pool)).toBe('the disk is full');
    await pool.close();
    expect(discarded).toEqual([1]);
  });
});
