#!/usr/bin/env bun
import { isTransformWorker, runTransformWorker } from '@svc/agent/transform-worker';
import { EXIT } from './failure.ts';
import { guardTerminals, outliveReaders, writeRows } from './terminal.ts';

/** Time for a failed program, or a stopped server, to write its last output. */
const LINGER_MS = 2_000;
const SERVERS = new Set(['agent', 'hub', 'serve', 'up']);
const PR_SET_DUMPABLE = 4;

const argv = process.argv.slice(2);
if (isTransformWorker(argv)) {
  await runTransformWorker();
} else {
  outliveReaders();
  await hideSecrets(argv);
  guardTerminals();
  const { runCli: run } = await import('./program.ts');
  const exitCode = await run(argv);
  // An immediate process.exit cuts off buffered output. The timer ends a failed program that would keep running, and a stopped server
  // whose log has no reader. A client that succeeded has no timer: its output may have a slow reader.
  if (exitCode !== EXIT.ok || SERVERS.has(argv[0] ?? '')) {
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
    if ((await makeUndumpable()) || process.platform !== 'linux') return;
    const text = 'the system does not protect this process from other programs of the same user';
    writeRows(process.stderr, [{ label: 'WARNING', text, tone: 'warning' }]);
  }
}

/**
 * Protects this process from other processes of the same user: they can neither read its environment, memory and open files
 * below /proc nor trace it (prctl(2), decision 59, the agent's token stays with the agent). A crash leaves no core dump.
 * Child processes are not affected.
 *
 * Returns whether the system did so. Only Linux can; root with CAP_SYS_PTRACE bypasses it.
 */
async function makeUndumpable(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    const { dlopen } = await import('bun:ffi');
    const { symbols } = dlopen('libc.so.6', {
      prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    });
    return symbols.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0;
  } catch {
    // The library is missing, or code generation at run time is forbidden.
    return false;
  }
}
