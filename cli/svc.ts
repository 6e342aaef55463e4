#!/usr/bin/env bun
import { isTransformWorker, runTransformWorker } from '@svc/agent/transform-worker';
import { EXIT } from './failure.ts';
import { outliveReaders } from './terminal.ts';

/** For the last words of a program that failed. */
const LINGER_MS = 2_000;

const argv = process.argv.slice(2);
if (isTransformWorker(argv)) {
  await runTransformWorker();
} else {
  outliveReaders();
  const { run } = await import('./program.ts');
  const exitCode = await run(argv);
  // Not process.exit, which cuts off what a pipe has not taken yet; unless something that failed goes on by itself.
  if (exitCode !== EXIT.ok) {
    process.exitCode = exitCode;
    setTimeout(() => process.exit(exitCode), LINGER_MS).unref();
  }
}
