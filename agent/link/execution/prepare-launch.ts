import { resolve } from 'node:path';
import { type Bound, bind } from '@svc/core/endpoint/bind';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { commandEnvironment, isForbiddenVariable, isVariableName } from '@svc/core/endpoint/environment';
import type { OrderRefusal } from '@svc/core/protocol/ending';
import type { HubFrameOf, WireEnding } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { Refusal, type RefusalCode } from '@svc/core/refusal';
import type { Launch } from '../../runner/runner.ts';
import type { Definitions } from '../definitions.ts';
import type { WholeDefinitions } from './whole-definitions.ts';

/** What an agent is told to run. */
export type RunOrder = HubFrameOf<'run'>;

/** What an agent runs with. */
export interface Premises {
  readonly definitions: Definitions;
  readonly wholeDefinitions: WholeDefinitions;
  /** That of the config file: commands run in it (decision 12). */
  readonly folder: string;
  /** What commands have of the agent's own environment. */
  readonly inherited: Readonly<Record<string, string>>;
  /** Nothing runs but what is in the agent's own file (decision 32). */
  readonly localOnly: boolean;
}

type RefusedEnding = Extract<WireEnding, { kind: 'refused' }>;
/** A launch, or why there is none. */
export type Prepared =
  | { readonly kind: 'launch'; readonly launch: Launch }
  | { readonly kind: 'refused'; readonly ending: RefusedEnding };
type Refused = Extract<Prepared, { kind: 'refused' }>;

/** Makes of an order what the runner starts, with the agent's own definition of the endpoint wherever it has one. */
export function prepareLaunch(order: RunOrder, premises: Premises): Prepared {
  const found = findEndpoint(order, premises);
  if (found.kind === 'refused') return found;
  const { endpoint } = found;
  const problem = variablesProblem(order.env ?? {}, endpoint, premises.localOnly);
  if (problem !== undefined) return problem;
  try {
    const bound = bind(endpoint, new Map(Object.entries(order.args)), order.secrets);
    return { kind: 'launch', launch: launchOf(order, endpoint, bound, premises) };
  } catch (error) {
    if (error instanceof Refusal) return refused('bad_values', error.message, error.code);
    throw error;
  }
}

export function refused(reason: OrderRefusal, message: string, code: RefusalCode = 'agent_refused'): Refused {
  const { messageChars } = LINK_LIMITS;
  return {
    kind: 'refused',
    ending: { kind: 'refused', reason, code, message: message.slice(0, messageChars) },
  };
}

function findEndpoint(
  { endpoint: slug, hash, definition }: RunOrder,
  { definitions, wholeDefinitions, localOnly }: Premises,
): { readonly kind: 'endpoint'; readonly endpoint: Endpoint } | Refused {
  if (definition !== undefined) {
    if (localOnly)
      return refused('local_only', `the agent runs only what is in its own file, and "${slug}" is not`);
    const read = wholeDefinitions.read(definition, hash);
    if (read.kind === 'endpoint') return read;
    return refused(
      'bad_definition',
      `the definition of "${slug}" cannot be run: ${read.problems.join('; ')}`,
    );
  }
  const endpoint = definitions.find(hash);
  if (endpoint?.slug === slug) return { kind: 'endpoint', endpoint };
  return refused('unknown_definition', `the agent does not have this definition of "${slug}" any more`);
}

function variablesProblem(
  env: Readonly<Record<string, string>>,
  endpoint: Endpoint,
  localOnly: boolean,
): Refused | undefined {
  for (const name of Object.keys(env)) {
    if (!isVariableName(name) || isForbiddenVariable(name)) {
      return refused('bad_values', `variable "${name}" cannot be set`, 'invalid_argument');
    }
    if (localOnly && !Object.hasOwn(endpoint.env, name)) {
      return refused(
        'local_only',
        `the agent takes no variable "${name}": "${endpoint.slug}" has none of that name`,
      );
    }
  }
  return undefined;
}

function launchOf(
  order: RunOrder,
  endpoint: Endpoint,
  bound: Bound,
  { folder, inherited }: Premises,
): Launch {
  const { execution_id: executionId, env = {}, timeout = endpoint.timeoutSec, mask = [] } = order;
  return {
    executionId,
    argv: bound.argv,
    inherited,
    env: commandEnvironment({
      endpointEnv: { ...endpoint.env, ...env },
      bound: bound.env,
      executionId,
      slug: endpoint.slug,
      traceparent: order.traceparent,
    }),
    cwd: resolve(folder, endpoint.cwd ?? ''),
    timeoutMs: timeout * 1000,
    output: 'frames',
    frameBytes: LINK_LIMITS.outputTargetBytes,
    ...(order.step === undefined ? {} : { step: order.step }),
    masks: [...bound.masks, ...mask],
    ...(endpoint.transform === undefined ? {} : { transform: endpoint.transform }),
  };
}
