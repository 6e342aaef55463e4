// Agents that go in the very moment in which their hub stops: nothing of it is a bug (docs/reference/reliability.md, "Seen").
import { expect, setDefaultTimeout, test } from 'bun:test';
import { hubWorld } from '../hub-world.ts';

setDefaultTimeout(60_000);

const AGENTS = 20;
const ROUNDS = 5;

test('an agent that disconnects while its hub stops leaves no internal error in the log', async () => {
  await using world = await hubWorld();
  for (let round = 0; round < ROUNDS; round += 1) {
    const agents = await Promise.all(
      Array.from({ length: AGENTS }, () =>
        world.agent({ endpoints: [], name: 'one', instance: crypto.randomUUID() }),
      ),
    );
    // The hub ends their connections itself when it stops, and some have gone by then.
    const gone = agents.slice(AGENTS / 2).map((agent) => agent.vanish());
    await world.restart();
    await Promise.all([...gone, ...agents.map((agent) => agent.closed)]);
  }
  expect(world.logLines.filter((line) => line.includes('internal error'))).toEqual([]);
});
