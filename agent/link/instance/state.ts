import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Journal } from '../journal/journal.ts';
import { BEFORE_ALL, type LineMark } from '../journal/line.ts';
import { type Renewal, readJournalFile, readText } from '../journal/read-journal.ts';
import type { Journaled } from '../journal/record.ts';
import { forgetGoneFolders, Witness } from '../journal/witness.ts';
import { assessState, instanceText, readInstanceFile, type StateAssessment } from './assess-state.ts';

const ANY_UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The identity of this agent process and its journal, which the state folder keeps from one process to the next. */
export class AgentState {
  readonly journal: Journal;
  /** The executions of an earlier process that are not reported yet. */
  readonly left: ReadonlyMap<string, Journaled>;
  /** Ids in an untrusted journal. Their processes may still run. */
  readonly strays: readonly string[];
  /** The damage that was found when the folder was opened. */
  readonly damage: Renewal | undefined;
  readonly #folder: string;
  readonly #machineBoot: string;
  /** Calendar time, for people. */
  readonly #nowMs: () => number;
  #boot: string;
  #witness: Witness | undefined;

  /** Reads the folder. Starts a new instance if the folder is not as the last process left it. */
  static open(folder: string, nowMs: () => number = Date.now, machineBoot = bootId()): AgentState {
    forgetGoneFolders();
    const path = join(folder, 'journal');
    const assessment = assessState({
      instance: readInstanceFile(readText(join(folder, 'instance'))),
      journal: readJournalFile(path),
      witnessOf: (instance) => Witness.read(instance, machineBoot),
      machineBoot,
    });
    const strays = assessment.kind === 'damaged' ? ((readText(path) ?? '').match(ANY_UUID) ?? []) : [];
    return new AgentState(folder, machineBoot, assessment, { strays: [...new Set(strays)], nowMs });
  }

  private constructor(
    folder: string,
    machineBoot: string,
    assessment: StateAssessment,
    { strays, nowMs }: { readonly strays: readonly string[]; readonly nowMs: () => number },
  ) {
    const { instance, left, after, renewed, boot } = begun(assessment, nowMs());
    this.#folder = folder;
    this.#machineBoot = machineBoot;
    this.#nowMs = nowMs;
    this.#boot = boot ?? crypto.randomUUID();
    this.left = left;
    this.strays = strays;
    this.damage = assessment.kind === 'damaged' ? renewed : undefined;
    const header = { instance, boot: machineBoot, after, ...(renewed === undefined ? {} : { renewed }) };
    const onPosition = (mark: LineMark) => this.#witness?.saw(mark);
    // The new journal has no lines of the old one, only the position of its end. A process that is killed before the new witness exists
    // leaves this one, and it is true of the old journal and of the new one.
    if (assessment.kind === 'same') Witness.note(instance, machineBoot, after);
    this.journal = new Journal({ path: join(folder, 'journal'), header, left, onPosition });
    this.#save();
  }

  get instance(): string {
    return this.journal.header.instance;
  }

  /** Stays the same while the journal is proven to be complete. */
  get boot(): string {
    return this.#boot;
  }

  /** Why this instance replaced another one. */
  get renewed(): Renewal | undefined {
    return this.journal.header.renewed;
  }

  /** Starts a new instance, because a hub knows more of this one than the journal does. */
  renew(reason: string): void {
    const replaces = this.instance;
    this.journal.rename({
      instance: crypto.randomUUID(),
      boot: this.#machineBoot,
      renewed: { replaces, atMs: this.#nowMs(), reason },
    });
    this.#boot = crypto.randomUUID();
    this.#save();
  }

  close(): void {
    this.journal.close();
    this.#witness?.close();
  }

  /** The journal already names the new instance, so a process that is killed here leaves a usable folder. */
  #save(): void {
    const { instance } = this;
    const of = { instance, stateFolder: resolve(this.#folder), machineBoot: this.#machineBoot };
    this.#witness?.close();
    this.#witness = Witness.create(of, { boot: this.#boot, mark: this.journal.mark });
    // Without a witness for later writes, the next process must not trust the journal.
    if (this.#witness === undefined) this.#boot = crypto.randomUUID();
    const path = join(this.#folder, 'instance');
    rmSync(`${path}.new`, { force: true });
    writeFileSync(`${path}.new`, instanceText(instance), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    if (this.#witness === undefined) Witness.forget(instance);
  }
}

function begun(assessment: StateAssessment, nowMs: number) {
  if (assessment.kind === 'same') return assessment;
  const fresh = { instance: crypto.randomUUID(), left: new Map<string, Journaled>(), after: BEFORE_ALL };
  if (assessment.kind === 'new') return { ...fresh, renewed: undefined, boot: undefined };
  const { replaces, reason } = assessment;
  const renewed: Renewal = { ...(replaces === undefined ? {} : { replaces }), atMs: nowMs, reason };
  return { ...fresh, renewed, boot: undefined };
}

/**
 * An id of this start of the machine. A journal is complete while it stays the same (decision 24, states and takeover).
 *
 * On systems without such an id, every process gets another one, which is the careful choice.
 */
export function bootId(): string {
  return (process.platform === 'darwin' ? darwinBootId() : linuxBootId()) ?? crypto.randomUUID();
}

function linuxBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function darwinBootId(): string | undefined {
  try {
    const { stdout } = Bun.spawnSync(['/usr/sbin/sysctl', '-n', 'kern.bootsessionuuid']);
    return stdout.toString().trim().toLowerCase() || undefined;
  } catch {
    return undefined;
  }
}
