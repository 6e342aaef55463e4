import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { EXIT, Failure } from '../failure.ts';
import { type FactRow, writeRows } from '../terminal.ts';

/** One change of the machine. It can be made again without an effect. */
export interface InstallStep {
  /** In the imperative: `write /etc/svc/agent.env`. */
  readonly text: string;
  /** Whether the machine is already as the step makes it. */
  readonly isDone: () => boolean;
  readonly run: () => Promise<void> | void;
}

/** Makes the steps in their order, or only prints what they would do. Returns whether one changed something. */
export async function runSteps(steps: readonly InstallStep[], isDryRun: boolean): Promise<boolean> {
  let hasChanged = false;
  for (const step of steps) {
    const isDone = step.isDone();
    const row: FactRow = isDone
      ? { label: 'as it is', text: step.text }
      : { label: isDryRun ? 'would' : 'did', text: step.text };
    if (!isDone && !isDryRun) await step.run();
    hasChanged ||= !isDone;
    writeRows(process.stdout, [{ ...row, label: row.label.padEnd(8) }]);
  }
  return hasChanged;
}

export function folderStep(path: string, mode: number): InstallStep {
  return {
    text: `make the folder ${path}`,
    isDone: () => existsSync(path),
    run: () => {
      mkdirSync(path, { recursive: true, mode });
      chmodSync(path, mode);
    },
  };
}

/** Writes a file with this text and mode, for root. */
export function fileStep(path: string, text: string, mode: number): InstallStep {
  return {
    text: `write ${path} (mode ${mode.toString(8).padStart(4, '0')})`,
    isDone: () =>
      existsSync(path) && readFileSync(path, 'utf8') === text && (statSync(path).mode & 0o777) === mode,
    run: () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
      // A new file with 0600, so that a secret is never readable under the mode of an earlier file.
      rmSync(path, { force: true });
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      chmodSync(path, mode);
    },
  };
}

export function removalStep(path: string): InstallStep {
  return {
    text: `remove ${path}`,
    isDone: () => !existsSync(path),
    run: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Removes a folder if nothing is left in it. */
export function emptyFolderStep(path: string): InstallStep {
  return {
    text: `remove ${path} if it is empty`,
    isDone: () => !existsSync(path) || readdirSync(path).length > 0,
    run: () => rmdirSync(path),
  };
}

export function commandStep(
  argv: readonly string[],
  isDone: () => boolean,
  text = argv.join(' '),
): InstallStep {
  return { text, isDone, run: () => void output(argv) };
}

/** Runs a program of the system. Returns what it printed; throws a `Failure` with its messages when it fails. */
export function output(argv: readonly string[]): string {
  const { exitCode, stdout, stderr } = spawn(argv);
  if (exitCode === 0) return stdout.toString();
  throw new Failure(`${argv.join(' ')} failed: ${stderr.toString().trim() || `exit code ${exitCode}`}`, {
    exitCode: EXIT.failed,
  });
}

/** Whether a program of the system ends with 0. */
export function succeeds(argv: readonly string[]): boolean {
  return spawn(argv).exitCode === 0;
}

function spawn(argv: readonly string[]) {
  try {
    return Bun.spawnSync([...argv], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  } catch {
    throw new Failure(`the program ${argv[0]} is missing on this machine`, { exitCode: EXIT.failed });
  }
}
