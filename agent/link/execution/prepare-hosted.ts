import { variablesProblem } from '@svc/core/endpoint/accepted-variable';
import { bind } from '@svc/core/endpoint/bind';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { commandEnvironment, isForbiddenVariable, isVariableName } from '@svc/core/endpoint/environment';
import { fileArguments } from '@svc/core/endpoint/file-arguments';
import { streamsOf } from '@svc/core/endpoint/output-streams';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { Refusal } from '@svc/core/refusal';
import { placePaths } from '../../path/place-paths.ts';
import type { ContainerTerms, Launch } from '../../runner/runner.ts';
import { type Prepared, refused } from './prepare-launch.ts';
import type { WholeDefinitions } from './whole-definitions.ts';

/** The environment of commands in the image. The host's own environment never enters a container. */
const OF_THE_IMAGE = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/tmp',
  USER: 'runner',
  LANG: 'C.UTF-8',
};
const WORKSPACE = '/workspace';

/**
 * Prepares the launch of an order in a container. A host has no endpoints of its own: the definition comes with the order,
 * and its `cwd` concerns another machine (decision 49, the hosted runner).
 */
export function prepareHosted(order: ExecutionOrder, wholeDefinitions: WholeDefinitions): Prepared {
  const { definition, hosted, hash, endpoint: slug } = order;
  if (definition === undefined || hosted === undefined)
    return refused('bad_definition', `the order of "${slug}" is none for the hosted runner`);
  const read = wholeDefinitions.read(definition, hash);
  if (read.kind === 'problems') {
    const problems = read.problems.join('; ');
    return refused('bad_definition', `the definition of "${slug}" cannot be run: ${problems}`);
  }
  const forbidden = Object.keys({ ...order.env, ...order.secrets }).find(isUnusable);
  if (forbidden !== undefined)
    return refused('bad_values', `variable "${forbidden}" cannot be set`, 'invalid_argument');
  const problem = variablesProblem(slug, read.endpoint, Object.keys(order.env ?? {}));
  if (problem !== undefined) return refused('bad_values', problem, 'invalid_argument');
  if (order.stdin === true || read.endpoint.stdin !== undefined)
    return refused(
      'bad_definition',
      `"${slug}" reads a body from stdin, and the hosted runner passes none on`,
    );
  if (order.form !== undefined || fileArguments(read.endpoint.args).length > 0)
    return refused('bad_definition', `"${slug}" takes files, and the hosted runner takes none`);
  const rooted = read.endpoint.args.find(({ root }) => root !== undefined);
  if (rooted !== undefined) {
    const why = `argument "${rooted.name}" has a root, and the hosted runner has no folders of yours`;
    return refused('bad_definition', `the definition of "${slug}" cannot be run: ${why}`);
  }
  try {
    const { artifacts } = read.endpoint;
    const container = { ...containerOf(hosted), ...(artifacts === undefined ? {} : { keepsOutput: true }) };
    const launch = launchOf(order, read.endpoint, container);
    return { kind: 'launch', launch, ...(artifacts === undefined ? {} : { artifacts }) };
  } catch (error) {
    if (error instanceof Refusal) return refused('bad_values', error.message, error.code);
    throw error;
  }
}

function launchOf(order: ExecutionOrder, endpoint: Endpoint, container: ContainerTerms): Launch {
  const { execution_id: executionId, env = {}, secrets, timeout = endpoint.timeoutSec, mask = [] } = order;
  const values = new Map(Object.entries(order.args));
  const streams = streamsOf(endpoint);
  // A `root` was refused above, so this reads no file of this machine.
  const paths = placePaths(endpoint, values, { folder: WORKSPACE, cwd: WORKSPACE });
  const bound = bind(endpoint, values, secrets, paths);
  return {
    executionId,
    argv: bound.argv,
    inherited: OF_THE_IMAGE,
    // If a name exists twice, the value of the endpoint wins.
    env: commandEnvironment({
      endpointEnv: { ...secrets, ...endpoint.env, ...env },
      bound: bound.env,
      executionId,
      slug: endpoint.slug,
      traceparent: order.traceparent,
    }),
    cwd: WORKSPACE,
    timeoutMs: timeout * 1000,
    output: 'frames',
    frameBytes: LINK_LIMITS.outputTargetBytes,
    ...(streams === undefined ? {} : { streams }),
    ...(order.step === undefined ? {} : { step: order.step }),
    masks: [...bound.masks, ...Object.values(secrets), ...mask],
    ...(endpoint.transform === undefined ? {} : { transform: endpoint.transform }),
    container,
  };
}

function isUnusable(name: string): boolean {
  return !isVariableName(name) || isForbiddenVariable(name);
}

function containerOf({ vcpus, memory_bytes, network, run_id }: NonNullable<ExecutionOrder['hosted']>) {
  return { vcpus, memoryBytes: memory_bytes, network, runId: run_id };
}
