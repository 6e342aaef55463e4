#!/usr/bin/env bun
import { isTransformWorker, runTransformWorker } from '@svc/agent/transform-worker';
import { EXIT } from './failure.ts';
import { outliveReaders } from './terminal.ts';

const argv = process.argv.slice(2);
if (isTransformWorker(argv)) {
  await runTransformWorker();
} else {
  outliveReaders();
  const { run } = await import('./program.ts');
  const exitCode = await run(argv);
  // Not process.exit, which cuts off what a pipe has not taken yet.
  if (exitCode !== EXIT.ok) process.exitCode = exitCode;
}
