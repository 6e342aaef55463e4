import { describe, expect, test } from 'bun:test';
import { AgentWorld } from './link/fixtures/agent-world.ts';
import { ScriptedHub } from './link/fixtures/scripted-hub.ts';

const HELLO = { name: 'hello', command: 'echo hello {{who}}', args: [{ name: 'who', default: 'world' }] };

describe('an agent', () => {
  test('says who it is and what it serves, and is told where', async () => {
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([HELLO]);
    await world.connect(hub.url, { name: 'build-1' });
    const hello = await hub.greeted();
    expect(hello).toMatchObject({
      agent: 'build-1',
      local_only: false,
      in_flight: [],
      protocol: { min: 1, max: 1 },
    });
    expect(hello.endpoints).toMatchObject([
      { name: 'hello', definition: { name: 'hello', command: HELLO.command } },
    ]);
    expect(hub.tokens).toEqual(['Bearer svc_at_test']);
    const { registered } = await world.until(() => world.eventsOf('connected')[0]);
    expect(registered).toEqual([{ name: 'hello', url: `${hub.url.href}v1/ada/hello` }]);
  });

  test('runs what it is told to, and tells output and end', async () => {
    await using hub = new ScriptedHub();
    await using world = await AgentWorld.make([HELLO]);
    await world.connect(hub.url);
    await hub.greeted();
    const record = await hub.ended(hub.run('hello', { args: { who: 'Ada' } }));
    expect(record.output).toBe('hello Ada\n');
    expect(record.ending).toMatchObject({ kind: 'exited', exit_code: 0 });
    expect(hub.violations).toEqual([]);
  });
});
