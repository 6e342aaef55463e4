import type { Launch, Runner } from '../../runner.ts';
import { EngineError } from '../engine.ts';

const TIMEOUT_MS = 60_000;

/** The output of a command in a container, by the path of executions. Rejects with an {@link EngineError} if it fails. */
export async function outputOf(
  runner: Runner,
  argv: Launch['argv'],
  container: NonNullable<Launch['container']>,
): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  const launch: Launch = {
    executionId: crypto.randomUUID(),
    argv,
    inherited: {},
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/workspace',
    timeoutMs: TIMEOUT_MS,
    output: 'raw',
    masks: [],
    container,
  };
  const command = runner.start(launch, {
    write(chunk) {
      text += decoder.decode(chunk, { stream: true });
    },
  });
  const ending = await command.ended;
  if (ending.kind === 'exited' && ending.exitCode === 0) return text;
  throw new EngineError(
    `containers could not be tried: ${'message' in ending ? ending.message : text || ending.kind}`,
  );
}
