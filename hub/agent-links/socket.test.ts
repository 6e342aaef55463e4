import { expect, test } from 'bun:test';
import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { AgentRegistry } from './registry.ts';
import { AgentSocket } from './socket.ts';
import type { SocketActions } from './socket-actions.ts';

const ADMITTED = {
  token: { id: 'token', workspaceId: 'workspace', agentName: undefined, hash: 'hash' },
  username: 'ada',
};
const HELLO = JSON.stringify({
  type: 'hello',
  protocol: { min: 1, max: 1 },
  agent: 'default',
  instance: '11111111-1111-4111-8111-111111111111',
  boot: 'boot',
  process: '22222222-2222-4222-8222-222222222222',
  version: '0.0.0',
  host: { hostname: 'test', os: 'linux', arch: 'x64' },
  local_only: false,
  revision: 1,
  endpoints: [],
  in_flight: [],
});

test('the connection of an agent that sends too much before its admission is closed', () => {
  const closes: number[] = [];
  // The hello is never admitted, as when the store hangs.
  const actions = { admit: () => new Promise<void>(() => undefined) } as Partial<SocketActions>;
  const socket = new AgentSocket(ADMITTED, new AgentRegistry(), actions as SocketActions, 'hub');
  socket.open({ send: () => true, close: (code) => void closes.push(code) });
  socket.message(HELLO);
  const frame = new Uint8Array(LINK_LIMITS.windowBytes);
  for (let sent = 0; sent < 16; sent += 1) socket.message(frame);
  expect(closes).toEqual([]);
  socket.message(new Uint8Array(1));
  expect(closes).toEqual([CLOSE_CODES.going_away]);
});
