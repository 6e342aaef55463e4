import { type TransformJob, type TransformResult, transformOutput } from './transform-output.ts';

/**
 * The program of a transform's worker process: runs job after job of its parent and ends with its parent.
 *
 * It is a process because nothing can end a thread inside a regular expression or wasm, and because a thread without memory
 * takes the whole agent down.
 */
process.on('message', (job: TransformJob) => void answer(job));

// Ctrl-C and the stop of a service manager reach the whole group, but the agent decides when its workers end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

async function answer({ transform, stdout }: TransformJob): Promise<void> {
  const result = await transformOutput(transform, stdout).catch(whyItBroke);
  process.send?.(result);
}

/** Usually out of memory or out of stack. */
function whyItBroke(error: unknown): TransformResult {
  return { kind: 'failed', reason: `it broke off: ${String(error)}` };
}
