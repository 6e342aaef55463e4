#!/usr/bin/env bun
import { isTransformWorker, runTransformWorker } from '@svc/agent/transform-worker';
import { EXIT } from './failure.ts';
import { guardTerminals, outliveReaders, writeRows } from './terminal.ts';

/** For the last words of a program that failed. */
const LINGER_MS = 2_000;

const argv = process.argv.slice(2);
if (isTransformWorker(argv)) {
  await runTransformWorker();
} else {
  outliveReaders();
  await hideSecrets(argv);
  guardTerminals();
  const { run } = await import('./program.ts');
  const exitCode = await run(argv);
  // Not process.exit, which cuts off what a pipe has not taken yet; unless something that failed goes on by itself.
  if (exitCode !== EXIT.ok) {
    process.exitCode = exitCode;
    setTimeout(() => process.exit(exitCode), LINGER_MS).unref();
  }
}

/** Before anything else: what this program was started with, and what it holds, is not for the commands that it runs. */
async function hideSecrets([command, ...args]: readonly string[]): Promise<void> {
  if (command === 'agent') {
    const { hideToken } = await import('./agent/hide-token.ts');
    hideToken(args);
  }
  if (command === 'agent' || command === 'hub' || command === 'up' || command === 'admin') {
    const { makeUndumpable } = await import('./process/undumpable.ts');
    if (makeUndumpable() || process.platform !== 'linux') return;
    const text = 'the system does not close this process to other programs of its user';
    writeRows(process.stderr, [{ label: 'WARNING', text, tone: 'warning' }]);
  }
}
