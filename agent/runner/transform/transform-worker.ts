import { type TransformJob, type TransformResult, transformOutput } from './transform-output.ts';

/**
 * The program of a transform's worker process: takes one job after another from its parent and ends when the parent is gone.
 *
 * It is a process and not a thread because nothing ends a thread that is inside a regular expression or inside wasm, and
 * because a thread that runs out of memory takes the whole agent with it.
 */
process.on('message', (job: TransformJob) => void answer(job));

// Ctrl-C and a service manager's stop reach the whole group; the agent decides when its workers end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

async function answer({ transform, stdout }: TransformJob): Promise<void> {
  const result = await transformOutput(transform, stdout).catch(whyItBroke);
  process.send?.(result);
}

/** Out of memory or out of stack, as a rule. */
function whyItBroke(error: unknown): TransformResult {
  return { kind: 'failed', reason: `it broke off: ${String(error)}` };
}
