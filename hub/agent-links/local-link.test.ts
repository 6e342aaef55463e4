import { describe, expect, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { refuse } from '@svc/core/refusal';
import type { Admitted } from '../agents/admit-agent.ts';
import type { Wire } from './connection.ts';
import { localLinks } from './local-link.ts';

const ADMITTED: Admitted = { token: { id: 't', workspaceId: 'w', hash: 'h' }, username: 'u' };
type Frame = string | Uint8Array;

/** A link, and what each side received, in order. The side `brokenAt` throws. */
function connect(
  admit: (token: string) => Promise<Admitted | undefined> = () => Promise.resolve(ADMITTED),
  brokenAt?: string,
) {
  const atAgent: unknown[] = [];
  const atHub: unknown[] = [];
  const bugs: unknown[] = [];
  const work = (at: string) => {
    if (at === brokenAt) throw new Error(at);
  };
  let wire: Wire | undefined;
  const open = localLinks({
    admit,
    reportBug: (error) => {
      bugs.push((error as Error).message);
      return 'b1';
    },
    socketOf: () => {
      work('socketOf');
      return {
        open: (it) => {
          work('open');
          wire = it;
        },
        message: (frame: Frame) => {
          work('message');
          atHub.push(frame);
        },
        closed: () => {
          atHub.push('closed');
          work('closed at the hub');
        },
      };
    },
  });
  const link = open('token', {
    opened: () => {
      work('opened');
      atAgent.push('opened');
    },
    received: (frame) => {
      work('received');
      atAgent.push(frame);
    },
    closed: (closing) => {
      atAgent.push(closing);
      work('closed at the agent');
    },
  });
  return { link, atAgent, atHub, bugs, wire: () => wire as Wire };
}

describe('the link of an agent in the process of its hub', () => {
  test('carries frames both ways in order, each in a later turn of the event loop', async () => {
    const { link, atAgent, atHub, wire } = connect();
    expect(atAgent).toEqual([]);
    await turn();
    expect(atAgent).toEqual(['opened']);
    for (const frame of ['a', 'b', Uint8Array.of(1, 2)]) link.send(frame);
    for (const frame of ['c', Uint8Array.of(3)]) expect(wire().send(frame)).toBe(true);
    expect([atHub, atAgent, link.bufferedBytes]).toEqual([[], ['opened'], 4]);
    await turn();
    expect([atHub, link.bufferedBytes]).toEqual([['a', 'b', Uint8Array.of(1, 2)], 0]);
    expect(atAgent).toEqual(['opened', 'c', Uint8Array.of(3)]);
  });

  test('a sender may reuse the memory of bytes at once', async () => {
    const { link, atHub } = connect();
    await turn();
    const bytes = Uint8Array.of(1, 2);
    link.send(bytes);
    bytes.fill(9);
    await turn();
    expect(atHub).toEqual([Uint8Array.of(1, 2)]);
  });

  test('a token that is not valid is refused as over the network', async () => {
    const { link, atAgent, atHub } = connect(() => Promise.resolve(undefined));
    await turn();
    expect(atAgent).toEqual([{ code: 1006, reason: 'it answered with status 401', status: 401 }]);
    link.send('a');
    await turn();
    expect(atHub).toEqual([]);
  });

  test('a hub that cannot admit closes without a final reason', async () => {
    const { atAgent } = connect(() => Promise.reject(refuse('unavailable', 'the hub is stopping')));
    await turn();
    expect(atAgent).toEqual([{ code: 1006, reason: 'the hub is stopping' }]);
  });

  test('the agent closes: it hears so at once, and the hub after all frames before', async () => {
    const { link, atAgent, atHub, wire } = connect();
    await turn();
    link.send('last');
    wire().send('late');
    link.close(1000, 'done');
    expect(atAgent).toEqual(['opened', { code: 1000, reason: 'done' }]);
    expect(wire().send('later')).toBe(false);
    await turn();
    expect(atHub).toEqual(['last', 'closed']);
    link.close(1000, 'again');
    await turn();
    expect(atAgent).toHaveLength(2);
    expect(atHub).toHaveLength(2);
  });

  test('the hub closes: the agent hears so after all frames before', async () => {
    const { atAgent, atHub, wire } = connect();
    await turn();
    wire().send('move');
    wire().close(1001, 'the hub stops');
    wire().close(1001, 'again');
    expect(wire().send('late')).toBe(false);
    await turn();
    await turn();
    expect(atAgent).toEqual(['opened', 'move', { code: 1001, reason: 'the hub stops' }]);
    expect(atHub).toEqual(['closed']);
  });

  test('the agent closes before it is admitted: the hub opens nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<Admitted>();
    const { link, atAgent, wire } = connect(() => promise);
    link.close(1000, 'done');
    resolve(ADMITTED);
    await turn();
    expect(atAgent).toEqual([{ code: 1000, reason: 'done' }]);
    expect(wire()).toBeUndefined();
  });

  const BROKEN = { code: 1006, reason: 'internal error b1' };
  test.each([
    ['socketOf', [], []],
    ['open', [], ['closed']],
    ['opened', [], ['closed']],
    ['message', ['opened'], ['closed']],
    ['received', ['opened'], ['a', 'b', 'closed']],
  ] as const)('a bug in %s is reported and ends only the connection', async (at, heard, said) => {
    const { link, atAgent, atHub, bugs, wire } = connect(undefined, at);
    await turn();
    for (const frame of ['a', 'b']) {
      link.send(frame);
      wire()?.send(frame);
    }
    await turn();
    await turn();
    expect([bugs, atAgent, atHub]).toEqual([[at], [...heard, BROKEN], [...said]]);
    expect(link.bufferedBytes).toBe(0);
  });

  test.each(['closed at the hub', 'closed at the agent'])('a bug in %s is only reported', async (at) => {
    const { link, atAgent, atHub, bugs } = connect(undefined, at);
    await turn();
    link.close(1000, 'done');
    await turn();
    expect([bugs, atAgent, atHub]).toEqual([[at], ['opened', { code: 1000, reason: 'done' }], ['closed']]);
  });
});
