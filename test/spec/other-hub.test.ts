// Credentials that another hub, or `svc admin`, has ended in the same data end here, too: decision 44, sign-in.
import { expect, test } from 'bun:test';
import { openHubFile } from '../hub-file.ts';
import { hubWorld } from '../hub-world.ts';

/** How often a hub checks that the credentials of open streams are still valid. */
const REVIEW_MS = 2_500;

test('a key that another hub has revoked stops working within five seconds, and so do its streams', async () => {
  await using world = await hubWorld();
  await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  const stream = world.call('job', { headers: { accept: 'text/event-stream' } });
  const { execution_id: id } = await agent.receive('run');
  agent.output(id, 1, 'still allowed\n');
  const text = (await stream).text();
  // The row that the other one would have written: this one has the key in its cache.
  using database = openHubFile(world.dataDir);
  database.run('UPDATE api_keys SET revoked_at_ms = 1');
  expect((await world.call('none')).status).toBe(404);
  await world.clock.untilTimer(REVIEW_MS);
  world.clock.move(REVIEW_MS);
  expect((await world.call('none')).status).toBe(401);
  expect(await text).toContain('no longer work');
  agent.end(id, 1);
});
