#!/usr/bin/env bun
import { isTransformWorker, runTransformWorker } from '@svc/agent/transform-worker';
import { EXIT } from './failure.ts';
import { guardTerminals, outliveReaders, writeRows } from './terminal.ts';

/** Time for a failed program to write its last output. */
const LINGER_MS = 2_000;

const argv = process.argv.slice(2);
if (isTransformWorker(argv)) {
  await runTransformWorker();
} else {
  outliveReaders();
  await hideSecrets(argv);
  guardTerminals();
  const { runCli: run } = await import('./program.ts');
  const exitCode = await run(argv);
  // Not process.exit at once, which cuts off buffered output; the timer ends a failed program that would keep running.
  if (exitCode !== EXIT.ok) {
    process.exitCode = exitCode;
    setTimeout(() => process.exit(exitCode), LINGER_MS).unref();
  }
}

/** Hides the token and the memory of this program from the commands that it will run. */
async function hideSecrets([command, ...args]: readonly string[]): Promise<void> {
  if (command === 'agent') {
    const { hideToken } = await import('./agent/hide-token.ts');
    hideToken(args);
  }
  if (command === 'agent' || command === 'hub' || command === 'up' || command === 'admin') {
    const { makeUndumpable } = await import('./process/undumpable.ts');
    if (makeUndumpable() || process.platform !== 'linux') return;
    const text = 'the system does not protect this process from other programs of the same user';
    writeRows(process.stderr, [{ label: 'WARNING', text, tone: 'warning' }]);
  }
}
