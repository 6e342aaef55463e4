import type { AgentFrameOf } from '@svc/core/protocol/frame';
import type { Logger } from 'pino';
import type { AgentAddress, AgentDirectory } from '../agents/directory-ports.ts';
import type { JournalMarks } from '../agents/journal-marks.ts';
import type { AgentJournals } from '../agents/store/agent-journals.ts';
import { giveUpReplaced, recordDamage } from '../dispatch/renewed-instance.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { Clock, Random } from '../platform/world.ts';

export interface ConnectedJournalDeps {
  readonly agents: AgentDirectory;
  readonly clock: Clock;
  readonly executions: RunningExecutions;
  readonly journalMarks: JournalMarks;
  readonly journals: AgentJournals;
  readonly random: Random;
}

type AnnouncedJournal = AgentFrameOf<'hello'>['journal'];

/** Handles the journal state that an agent reports. */
export class ConnectedJournal {
  readonly #deps: ConnectedJournalDeps;
  readonly #logger: Logger;

  constructor(deps: ConnectedJournalDeps, logger: Logger) {
    this.#deps = deps;
    this.#logger = logger;
  }

  /**
   * Why the agent must begin as a new instance. When it has done so, the executions of the replaced instance end here.
   *
   * @param replaces the replaced instance; undefined when another token owns it
   */
  async refusal(
    process: AgentAddress,
    journal: AnnouncedJournal,
    replaces: string | undefined,
  ): Promise<string | undefined> {
    if (journal === undefined) return undefined;
    const { name: agent, instance } = process;
    const refusal = await this.#deps.journalMarks.refusal(process, journal.seq);
    if (refusal !== undefined) this.#logger.warn({ agent, instance }, refusal);
    else if (replaces !== undefined) giveUpReplaced(this.#deps, process, replaces);
    return refusal;
  }

  /** Called when the process has its row in the store. */
  async connected(process: AgentAddress, journal: AnnouncedJournal): Promise<void> {
    if (journal === undefined) return;
    const { journalMarks, journals } = this.#deps;
    const mark = journalMarks.received(process, journal.seq);
    if (mark !== undefined) await journals.mark(mark);
    const { renewed } = journal;
    if (renewed === undefined || !(await recordDamage(this.#deps, process, renewed))) return;
    const { name: agent, instance } = process;
    const { replaces, reason } = renewed;
    this.#logger.warn({ agent, instance, replaces, reason }, 'the journal of an agent was damaged');
  }
}
