import { acceptedChoices, type Choice, readChoices } from '@svc/core/endpoint/choices/choice-list';
import { sourceProblem, sourceValues } from '@svc/core/endpoint/choices/choice-source';
import type { Argument } from '@svc/core/endpoint/definition';
import { refuseArguments } from '@svc/core/endpoint/value/argument-problem';
import { outcomeOf } from '@svc/core/execution/outcome';
import { LIMITS } from '@svc/core/plan/limits';
import { RecentMap } from '@svc/core/recent-map';
import { Refusal, refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import { cancelExecution } from '../approvals/cancel-execution.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { CallRequest } from '../executions/execution-ports.ts';
import { collect } from '../executions/http/answer-buffered.ts';
import type { ChangeWaiters } from '../executions/live/change-waiters.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { type CallDeps, callEndpoint } from './call-endpoint.ts';
import { executionIdOf, followCalled } from './follow-called.ts';

export type ChoiceListsDeps = CallDeps & {
  readonly changes: ChangeWaiters;
  readonly executions: RunningExecutions;
  readonly lookups: CallLookups;
};

/** The caller who asks for a list. The list runs with their rights. */
export interface ChoiceAsker extends Pick<CallRequest, 'callerKind' | 'callerId' | 'from'> {
  readonly workspace: Workspace;
  readonly mayCall: (source: RegisteredEndpoint) => boolean;
}

interface CachedList {
  readonly choices: Promise<readonly Choice[]>;
  /** Undefined: it is being read. */
  untilMs: number | undefined;
}

/** Each may have a megabyte. */
const MAX_LISTS = 50;

/** The lists of arguments with `choices_from`, each kept for its `choices_ttl` (decision 69, choices from an endpoint). */
export class ChoiceLists {
  readonly #deps: ChoiceListsDeps;
  readonly #lists = new RecentMap<string, CachedList>(MAX_LISTS);

  constructor(deps: ChoiceListsDeps) {
    this.#deps = deps;
  }

  /**
   * The choices of an argument that has a list, for the given values of the others.
   *
   * Refuses with `not_found` without such a list, with `invalid_argument` a missing or wrong value of another argument, and as
   * the call of the list is refused.
   */
  async read(
    asker: ChoiceAsker,
    target: RegisteredEndpoint,
    name: string,
    given: ReadonlyMap<string, string>,
  ): Promise<readonly Choice[]> {
    const { endpoint } = target;
    const argument = endpoint.args.find((one) => one.name === name);
    if (argument?.choicesFrom === undefined)
      throw refuse('not_found', `"${endpoint.slug}" has no argument "${name}" with choices from an endpoint`);
    const source = await this.#sourceOf(asker, argument);
    const problem = sourceProblem(endpoint, argument, source.endpoint);
    if (problem !== undefined) throw refuse('invalid_argument', problem);
    const read = sourceValues(argument, endpoint.args, given);
    if ('missing' in read)
      throw refuseArguments([{ argument: read.missing, message: `give it first: "${name}" depends on it` }]);
    const choices = await this.#cached(asker, source, argument, read.values);
    return acceptedChoices(argument, choices);
  }

  /** An endpoint that the asker may not call is as absent as one that is not there (decision 25, errors). */
  async #sourceOf(asker: ChoiceAsker, { choicesFrom = '' }: Argument): Promise<RegisteredEndpoint> {
    const source = await this.#deps.lookups.endpoint(asker.workspace.id, choicesFrom);
    if (source === undefined || !asker.mayCall(source))
      throw refuse(
        'not_found',
        `there is no endpoint "${choicesFrom}" for the choices, or you may not call it`,
      );
    return source;
  }

  #cached(
    asker: ChoiceAsker,
    source: RegisteredEndpoint,
    { choicesTtlSec = LIMITS.defaultChoicesTtlSec }: Argument,
    values: ReadonlyMap<string, string>,
  ): Promise<readonly Choice[]> {
    const { clock } = this.#deps;
    const key = JSON.stringify([source.id, source.definitionHash, choicesTtlSec, [...values]]);
    const known = this.#lists.get(key);
    if (known !== undefined && (known.untilMs === undefined || clock.nowMs() < known.untilMs))
      return known.choices;
    const list: CachedList = { choices: this.#run(asker, source, values), untilMs: undefined };
    this.#lists.set(key, list);
    list.choices.then(
      () => {
        list.untilMs = clock.nowMs() + choicesTtlSec * 1000;
      },
      () => this.#lists.take(key),
    );
    return list.choices;
  }

  async #run(
    { workspace, callerKind, callerId, from }: ChoiceAsker,
    source: RegisteredEndpoint,
    values: ReadonlyMap<string, string>,
  ): Promise<readonly Choice[]> {
    const deps = this.#deps;
    const called = await callEndpoint(deps, {
      ...{
        workspace,
        target: source,
        method: 'POST',
        values,
        trigger: 'choices',
        callerKind,
        callerId,
        from,
      },
      asynchronous: false,
      readTokenHash: undefined,
      idempotencyKey: undefined,
    });
    if (called.kind === 'pending') throw new Error('a list needs approval');
    const executionId = executionIdOf(called);
    const following = followCalled(deps, called);
    const uncap = deps.clock.at(deps.clock.nowMs() + LIMITS.choicesMs, () => following.stop());
    try {
      const collected = await collect(following);
      if (collected === undefined) throw await this.#tooLong(executionId, source);
      const { output, ended } = collected;
      const outcome = outcomeOf(ended);
      if (outcome.kind === 'failure') {
        const { code, message, details } = outcome.refusal;
        throw new Refusal(code, message, { ...details, execution_id: executionId });
      }
      const text = outcome.data ?? output.text;
      const list = outcome.exitCode === 0 && !output.isTruncated ? readChoices(text) : undefined;
      if (list?.kind === 'choices') return list.choices;
      const why =
        list?.problem ??
        (output.isTruncated ? 'printed more than 1 MiB' : `ended with exit code ${outcome.exitCode}`);
      throw refuse('unavailable', `"${source.endpoint.slug}" gives no list: ${why}`, {
        execution_id: executionId,
      });
    } finally {
      uncap();
    }
  }

  async #tooLong(executionId: string, { endpoint: { slug } }: RegisteredEndpoint): Promise<Refusal> {
    const execution = await this.#deps.ledger.find(executionId);
    if (execution !== undefined) await cancelExecution(this.#deps, execution);
    const message = `"${slug}" gave no list in ${LIMITS.choicesMs / 1000} s, and was cancelled`;
    return refuse('timeout', message, { execution_id: executionId });
  }
}
