import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { propertyOf, untilWorking } from '../install/service.ts';
import { output, succeeds } from '../install/step.ts';

/** The agent that this machine runs as a service, as an upgrade sees it. Tests run it without systemd. */
export interface AgentService {
  /**
   * Starts a second agent of the same name from another program. Resolves when the hub has greeted it, with what stops it;
   * rejects when that takes longer than a minute, and then it has stopped.
   */
  readonly startBeside: (program: string) => Promise<AsyncDisposable>;
  /** Replaces the process of the service. Resolves when the hub has greeted the new one; rejects as above. */
  readonly restart: () => Promise<void>;
}

const NAME = 'svc-agent';
const BESIDE = 'svc-agent-upgrade';
const UNIT = `/run/systemd/system/${BESIDE}.service`;
const HELLO_MS = 60_000;

/** The service of systemd if it runs this program, else undefined. */
export function runningAgentService(program: string): AgentService | undefined {
  if (!existsSync('/run/systemd/system') || !runsProgram(NAME, program)) return undefined;
  return { startBeside: async (staged) => await startBeside(program, staged), restart };
}

/** Whether a unit of systemd runs now and starts this program. */
export function runsProgram(unit: string, program: string): boolean {
  return (
    propertyOf(unit, 'ActiveState') === 'active' &&
    propertyOf(unit, 'ExecStart').includes(`path=${program} ;`)
  );
}

/**
 * The unit with its drop-ins, for another program. It is gone when the machine starts again, and after two hours if the upgrade
 * was killed: longer than commands of the replaced process may take.
 */
export function besideUnit(unit: string, program: string, staged: string): string {
  const started = unit.replace(
    /^(ExecStart=\s*[-@:+!|]*)(\S+)/gm,
    (line: string, before: string, path: string) => (path === program ? `${before}${staged}` : line),
  );
  return `${started}\n[Service]\nRestart=no\nRuntimeMaxSec=2h\n`;
}

async function startBeside(program: string, staged: string): Promise<AsyncDisposable> {
  // An upgrade that was killed may have left one. It stops when its commands have ended.
  stopBeside();
  writeFileSync(UNIT, besideUnit(output(['systemctl', 'cat', `${NAME}.service`]), program, staged), {
    mode: 0o600,
  });
  try {
    output(['systemctl', 'daemon-reload']);
    output(['systemctl', 'start', `${BESIDE}.service`]);
    await untilWorking({ name: BESIDE }, undefined, isOnline, HELLO_MS);
  } catch (error) {
    stopBeside();
    throw error;
  }
  return {
    async [Symbol.asyncDispose]() {
      stopBeside();
    },
  };
}

/** Waits for the commands of the process that stops, as long as the unit lets them. */
async function restart(): Promise<void> {
  const replaced = propertyOf(NAME, 'InvocationID');
  output(['systemctl', 'restart', `${NAME}.service`]);
  await untilWorking({ name: NAME }, replaced, isOnline, HELLO_MS);
}

function stopBeside(): void {
  if (!existsSync(UNIT)) return;
  succeeds(['systemctl', 'stop', `${BESIDE}.service`]);
  rmSync(UNIT, { force: true });
  succeeds(['systemctl', 'daemon-reload']);
  succeeds(['systemctl', 'reset-failed', `${BESIDE}.service`]);
}

async function isOnline(log: string): Promise<boolean> {
  return /^online /m.test(log);
}
