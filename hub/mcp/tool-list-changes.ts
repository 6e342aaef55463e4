import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { AuditTarget } from '@svc/core/audit/entry';
import { Refusal, refuse } from '@svc/core/refusal';
import type { EventFeeds } from '../events/event-feeds.ts';
import { CoalescingRunner } from '../platform/coalescing-runner.ts';
import { principalKey, type Visit } from './visit.ts';
import { refusalNow, type WhileAllowedDeps } from './while-allowed.ts';
import { listedTools, type WorkspaceToolsDeps, workspaceTools } from './workspace-tools.ts';

/** The limit of listening connections of one principal. A client needs one. */
const LISTENERS_PER_PRINCIPAL = 10;

/** What a change has to be about to change a list of tools. */
const RELEVANT: ReadonlySet<AuditTarget['kind']> = new Set(['endpoint', 'pipeline', 'agent', 'workspace']);

export type ToolListChangesDeps = WhileAllowedDeps &
  WorkspaceToolsDeps & {
    readonly eventFeeds: Pick<EventFeeds, 'watch'>;
    readonly reportBug: (error: unknown) => string;
  };

/**
 * Notifies clients that listen (`subscriptions/listen`, from 2026-07-28 on) when their own list of tools has changed, at whichever hub it
 * was changed. A change of tools that the client does not see is not reported.
 */
export class ToolListChanges {
  readonly #deps: ToolListChangesDeps;
  readonly #listeners = new Map<string, number>();

  constructor(deps: ToolListChangesDeps) {
    this.#deps = deps;
  }

  /**
   * The source of events for one listening client.
   *
   * @param end closes the connection; called when the key becomes invalid, the access of agents is off, or the hub stops
   * @throws `concurrency_limited` when the principal listens on too many connections
   */
  of(visit: Visit, end: () => void): ServerEventBus {
    const principal = principalKey(visit);
    if ((this.#listeners.get(principal) ?? 0) >= LISTENERS_PER_PRINCIPAL)
      throw refuse('concurrency_limited', `${LISTENERS_PER_PRINCIPAL} connections of yours listen already`, {
        limit: LISTENERS_PER_PRINCIPAL,
      });
    return {
      publish: () => undefined,
      subscribe: (listener) => {
        // Requests that came together have all passed the check above.
        if ((this.#listeners.get(principal) ?? 0) >= LISTENERS_PER_PRINCIPAL) {
          queueMicrotask(end);
          return () => undefined;
        }
        this.#count(principal, 1);
        const stop = this.#watch(visit, listener, end);
        return () => {
          stop();
          this.#count(principal, -1);
        };
      },
    };
  }

  #watch(visit: Visit, listener: (event: ServerEvent) => void, end: () => void): () => void {
    const { openStreams, eventFeeds, reportBug } = this.#deps;
    let before: string | undefined;
    const compared = new CoalescingRunner(async () => {
      const now = await this.#listed(visit);
      if (now !== before) listener({ kind: 'tools_list_changed' });
      before = now;
    }, reportBug);
    const isAllowed = async () => (await refusalNow(this.#deps, visit, undefined)) === undefined;
    const unwatch = openStreams.open(isAllowed, end);
    void this.#endUnless(isAllowed, end);
    const stop = eventFeeds.watch(visit.workspace.id, {
      onEvents: (bundle) => {
        const isRelevant =
          bundle === 'overfull' ||
          bundle.some((event) => event.kind === 'change' && RELEVANT.has(event.target.kind));
        if (isRelevant) compared.ask();
      },
      onClose: end,
    });
    // The client may have read its list before a change that came before this watch, so the first comparison always reports one.
    compared.ask();
    return () => {
      unwatch();
      stop();
    };
  }

  /** A change between the check of the request and the beginning of the watch is noticed here. */
  async #endUnless(isAllowed: () => Promise<boolean>, end: () => void): Promise<void> {
    try {
      if (!(await isAllowed())) end();
    } catch (error) {
      // While the store is unavailable nothing is decided: open streams are checked again from time to time.
      if (!(error instanceof Refusal)) this.#deps.reportBug(error);
    }
  }

  /** The list of tools as the client would get it now, as a text to compare. */
  async #listed(visit: Visit): Promise<string> {
    const workspace = (await this.#deps.lookups.workspaceById(visit.workspace.id)) ?? visit.workspace;
    const now = { ...visit, workspace };
    return Bun.hash(JSON.stringify(listedTools(now, await workspaceTools(this.#deps, now)))).toString(36);
  }

  #count(principal: string, by: number): void {
    const count = (this.#listeners.get(principal) ?? 0) + by;
    if (count === 0) this.#listeners.delete(principal);
    else this.#listeners.set(principal, count);
  }
}
