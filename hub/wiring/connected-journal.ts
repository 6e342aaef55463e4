import type { AgentFrameOf } from '@svc/core/protocol/frame';
import type { Logger } from 'pino';
import { giveUpReplaced, tellRenewed } from '../engine/agent/renewed-instance.ts';
import type { AgentAddress } from '../engine/ports/agent-directory.ts';
import type { HubContext } from '../http/context.ts';

type Told = AgentFrameOf<'hello'>['journal'];

/** What is done with what an agent says of its journal. */
export class ConnectedJournal {
  readonly #context: HubContext;
  readonly #logger: Logger;

  constructor(context: HubContext, logger: Logger) {
    this.#context = context;
    this.#logger = logger;
  }

  /**
   * Why the agent has to begin as a new instance. Where it has done so, what the replaced instance had begun ends here.
   *
   * @param replaces the instance that it names, undefined where another token owns that one
   */
  async refusal(
    process: AgentAddress,
    journal: Told,
    replaces: string | undefined,
  ): Promise<string | undefined> {
    if (journal === undefined) return undefined;
    const { name: agent, instance } = process;
    const refusal = await this.#context.journalMarks.refusal(process, journal.seq);
    if (refusal !== undefined) this.#logger.warn({ agent, instance }, refusal);
    else if (replaces !== undefined) giveUpReplaced(this.#context, process, replaces);
    return refusal;
  }

  /** It has its row by now. */
  async connected(process: AgentAddress, journal: Told): Promise<void> {
    if (journal === undefined) return;
    const { journalMarks, journals, bell } = this.#context;
    const mark = journalMarks.heard(process, journal.seq);
    if (mark !== undefined) await journals.mark(mark);
    const { renewed } = journal;
    if (renewed === undefined || !(await tellRenewed(this.#context, process, renewed))) return;
    bell.ring();
    const { name: agent, instance } = process;
    const { replaces, reason } = renewed;
    this.#logger.warn({ agent, instance, replaces, reason }, 'the journal of an agent was damaged');
  }
}
