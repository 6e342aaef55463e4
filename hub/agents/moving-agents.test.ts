import { expect, test } from 'bun:test';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import { HandClock } from '../platform/fixtures/hand-clock.ts';
import { NO_WORKSPACE } from './host-address.ts';
import { MovingAgents } from './moving-agents.ts';

const endpointOf = (workspaceId: string, agentName?: string) =>
  ({ workspaceId, endpoint: { agentName } }) as RegisteredEndpoint;

function moving() {
  const clock = new HandClock();
  return { clock, agents: new MovingAgents(clock) };
}

test('only hubs that were asked to take agents are awaited', async () => {
  const { agents } = moving();
  expect(await agents.comes(endpointOf('w'))).toBe(false);
  agents.note(['w']);
  expect(await agents.comes(endpointOf('other'))).toBe(false);
  expect(await agents.comes(endpointOf('w', 'hosted'))).toBe(false);
});

test('an agent that moves is polled for until its deadline', async () => {
  const { clock, agents } = moving();
  agents.note(['w', NO_WORKSPACE]);
  for (const target of [endpointOf('w'), endpointOf('x', 'hosted')]) {
    const expected = agents.comes(target);
    clock.move(50);
    expect(await expected).toBe(true);
  }
  clock.move(10_000);
  expect(await agents.comes(endpointOf('w'))).toBe(false);
});

test('after a hub has started again, the agents of every workspace are awaited until the deadline', async () => {
  const { clock, agents } = moving();
  agents.noteAll();
  const expected = agents.comes(endpointOf('w'));
  clock.move(50);
  expect(await expected).toBe(true);
  clock.move(9_950);
  expect(await agents.comes(endpointOf('w'))).toBe(false);
});
