// Many calls at once: none is mixed up with another, and max_concurrent holds (decision 10, further keys of an endpoint,
// and decision 25, errors).
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText, readUntil } from '../read-text.ts';
import { withoutComments } from '../without-comments.ts';
import { serveWorld } from '../world.ts';

test('200 calls at once each get the answer to their own value', async () => {
  await using world = await serveWorld([
    {
      name: 'echo',
      command: "printf '%s' {{value}}; sleep 0.05; printf ' %s' {{value}}",
      args: [{ name: 'value' }],
    },
  ]);
  const values = Array.from({ length: 200 }, (_, index) => `value ${index} ${'é'.repeat(index % 7)}`);
  const answers = await Promise.all(
    values.map(async (value, index) => {
      const url = `${world.url}/echo?value=${encodeURIComponent(value)}`;
      if (index % 2 === 0) return withoutComments(await (await fetch(url)).text());
      const response = await fetch(url, { headers: { accept: 'application/json' } });
      return ((await response.json()) as { output: string }).output;
    }),
  );
  values.forEach((value, index) => {
    const printed = `${value} ${value}`;
    if (index % 2 === 1) expect(answers[index]).toBe(printed);
    else expect(answers[index]).toStartWith(`data: ${JSON.stringify({ type: 'output', data: printed })}\n\n`);
  });
});

test('max_concurrent refuses one more with 429, and accepts again when one has ended', async () => {
  await using world = await serveWorld([
    { name: 'limited', command: 'echo started; until [ -e go ]; do sleep 0.02; done', max_concurrent: 2 },
    { name: 'other', command: 'echo unconcerned' },
  ]);
  const startLimited = async () => {
    const stream = readText(await fetch(`${world.url}/limited`));
    await readUntil(stream, 'started');
    return stream;
  };
  const running = [await startLimited(), await startLimited()];

  const refused = await fetch(`${world.url}/limited`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({ code: 'concurrency_limited', details: { limit: 2 } });
  expect(await (await fetch(`${world.url}/other`)).text()).toContain('unconcerned');

  writeFileSync(join(world.folder, 'go'), '');
  for (const stream of running) expect((await Array.fromAsync(stream)).join('')).toContain('"type":"done"');
  expect((await fetch(`${world.url}/limited`)).status).toBe(200);
});
