import { expect, test } from 'bun:test';
import { formToken } from '@svc/core/token/token';
import type { Transforms } from '../output/transform-result.ts';
import { createProcessRunner } from './create-process-runner.ts';
import { type launchOf, shell } from './fixtures/launch.ts';

const transforms: Transforms = {
  run: (_, stdout) => Promise.resolve({ kind: 'data', json: JSON.stringify(Buffer.from(stdout).toString()) }),
};

async function outputOf(launch: ReturnType<typeof launchOf>): Promise<string> {
  await using runner = createProcessRunner({ transforms, workers: 1 });
  const chunks: Uint8Array[] = [];
  await runner.start(launch, { write: (chunk) => void chunks.push(chunk.slice()) }).ended;
  return Buffer.concat(chunks).toString();
}

test('a secret is masked, also if it is written in two pieces', async () => {
  const text = 'printf "a hun"; sleep 0.05; echo "ter2 b"; printf hunter2 | base64 >&2; printf hunter';
  expect(await outputOf(shell(text, { masks: ['hunter2'] }))).toBe('a *** b\n***\nhunter');
  expect(await outputOf(shell('echo hunter2', { masks: ['hunter2'], output: 'events' }))).toBe(
    'data: {"type":"output","data":"***"}\n\n',
  );
});

test('a transform sees no secret', async () => {
  const transform = { parse: 'lines', onError: 'fail' } as const;
  const launch = shell('echo it is hunter2', { masks: ['hunter2'], output: 'events', transform });
  expect(await outputOf(launch)).toBe('data: {"type":"transformed_output","data":"it is ***\\n"}\n\n');
});

test('a token of svc is masked even if no secret is known', async () => {
  const token = formToken('agent_token', new Uint8Array(32).fill(9));
  const text = `printf 'a ${token.slice(0, 20)}'; sleep 0.05; printf '${token.slice(20)} b\n'; echo svc_at_ >&2`;
  expect(await outputOf(shell(text))).toBe('a *** b\nsvc_at_\n');
});
