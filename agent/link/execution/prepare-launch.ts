import { resolve } from 'node:path';
import { variablesProblem } from '@svc/core/endpoint/accepted-variable';
import { type BoundCommand, bind } from '@svc/core/endpoint/bind';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { commandEnvironment } from '@svc/core/endpoint/environment';
import { fileArguments, filePlaceholders } from '@svc/core/endpoint/file-arguments';
import { streamsOf } from '@svc/core/endpoint/output-streams';
import type { Program } from '@svc/core/endpoint/program';
import { type ApprovedFile, STDIN_FILE } from '@svc/core/execution/received-file';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { OrderRefusal } from '@svc/core/protocol/ending';
import type { ExecutionOrder, WireEnding } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { Refusal, type RefusalCode } from '@svc/core/refusal';
import { type ChoiceCheck, choiceChecks } from '../../choices/check-choices.ts';
import type { CommandWithFiles } from '../../files/start-with-files.ts';
import { placePaths } from '../../path/place-paths.ts';
import type { Launch } from '../../runner/runner.ts';
import type { AnnouncedDefinitions } from '../definitions.ts';
import { type ApprovalPreconditions, approvalProblem, useApproval } from './check-approval.ts';
import type { WholeDefinitions } from './whole-definitions.ts';

/** The settings of the agent that affect a launch. */
export interface LaunchContext extends ApprovalPreconditions {
  readonly definitions: AnnouncedDefinitions;
  readonly wholeDefinitions: WholeDefinitions;
  /** The folder of the config file, in which commands run (decision 12, the environment of a command). */
  readonly folder: string;
  /** The part of the agent's environment that commands inherit. */
  readonly inherited: Readonly<Record<string, string>>;
  /** The user that runs commands, if it is not the agent's own. */
  readonly user?: Launch['user'];
  /** Only endpoints of the agent's own file run (decision 32, commands of a file stay on the agent). */
  readonly localOnly: boolean;
  /** The number of running commands of an endpoint in this process. */
  readonly runningOf: (slug: string) => number;
}

type RefusedEnding = Extract<WireEnding, { kind: 'refused' }>;
export type Prepared =
  | {
      readonly kind: 'launch';
      readonly launch: Launch;
      /** The lists that the values must be in before it starts. */
      readonly checks?: readonly ChoiceCheck[];
      /** The patterns of the files that the command leaves (decision 72, artifacts). */
      readonly artifacts?: readonly string[];
      /** The call has files, which the agent receives before the command starts (decision 76, files of a call). */
      readonly files?: CommandWithFiles;
      /** The body that was approved: the command reads the end of no other (decision 83, bodies that wait for approval). */
      readonly approvedBody?: ApprovedFile;
    }
  | { readonly kind: 'refused'; readonly ending: RefusedEnding };
type Refused = Extract<Prepared, { kind: 'refused' }>;

interface Found {
  readonly kind: 'endpoint';
  readonly endpoint: Endpoint;
  readonly isOwn: boolean;
}

/** Turns an order into a launch for the runner. The agent's own definition of an endpoint takes precedence. */
export function prepareLaunch(order: ExecutionOrder, context: LaunchContext): Prepared {
  const found = findEndpoint(order, context);
  if (found.kind === 'refused') return found;
  const { endpoint, isOwn } = found;
  const problem = variablesProblem(endpoint.slug, endpoint, Object.keys(order.env ?? {}));
  if (problem !== undefined) return refused('bad_values', problem, 'invalid_argument');
  const bodyProblem = stdinProblem(order, endpoint);
  if (bodyProblem !== undefined) return refused('bad_values', bodyProblem, 'invalid_argument');
  const unapproved = unapprovedBody(order, endpoint);
  if (unapproved !== undefined) return refused('bad_values', unapproved);
  const ownProblem = isOwn ? fileProblem(order, endpoint, context) : undefined;
  if (ownProblem !== undefined) return refused('local_only', ownProblem);
  if (endpoint.artifacts !== undefined && process.platform !== 'linux')
    return refused(
      'bad_definition',
      `"${endpoint.slug}" leaves artifacts, and an agent keeps those on Linux only`,
    );
  try {
    const values = new Map(Object.entries(order.args));
    const { folder } = context;
    const cwd = resolve(folder, endpoint.cwd ?? '');
    const paths = placePaths(endpoint, values, { folder: resolve(folder), cwd });
    const files = order.form === undefined ? [] : filePlaceholders(endpoint.args);
    const bound = bind(endpoint, values, order.secrets, new Map([...paths, ...files]));
    const checks = choiceChecks(endpoint, values, {
      find: (slug) => context.definitions.named(slug),
      folder: resolve(folder),
      launchOf: (source, list, listCwd) => listLaunch(order, source, list, { ...context, cwd: listCwd }),
    });
    const used = isOwn ? useApproval(order, endpoint, context) : undefined;
    if (used !== undefined) return refused('local_only', used);
    const approved = approvedInput(order, endpoint);
    const [approvedBody] = order.stdin === true ? (approved ?? []) : [];
    const timeoutSec = timeoutOf(order, found);
    const launch = launchOf(order, endpoint, bound, { ...context, cwd, timeoutSec });
    const { artifacts } = endpoint;
    const withPaths = (placed: ReadonlyMap<string, string>) => {
      const whole = bind(endpoint, values, order.secrets, new Map([...paths, ...placed]));
      return launchOf(order, endpoint, whole, { ...context, cwd, timeoutSec });
    };
    return {
      kind: 'launch',
      launch,
      ...(checks.length > 0 && { checks }),
      ...(artifacts && { artifacts }),
      ...(approvedBody && { approvedBody }),
      ...(order.form !== undefined && {
        files: { contentType: order.form, args: endpoint.args, approved, launch, withPaths },
      }),
    };
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
  { endpoint: slug, hash, definition, hosted }: ExecutionOrder,
  { definitions, wholeDefinitions, localOnly }: LaunchContext,
): Found | Refused {
  if (hosted !== undefined)
    return refused('bad_definition', `this agent is no hosted runner: it has no containers for "${slug}"`);
  if (definition !== undefined) {
    if (localOnly)
      return refused('local_only', `the agent runs only what is in its own file, and "${slug}" is not`);
    const read = wholeDefinitions.read(definition, hash);
    if (read.kind === 'endpoint') return { ...read, isOwn: false };
    return refused(
      'bad_definition',
      `the definition of "${slug}" cannot be run: ${read.problems.join('; ')}`,
    );
  }
  const endpoint = definitions.find(hash);
  if (endpoint?.slug === slug) return { kind: 'endpoint', endpoint, isOwn: true };
  return refused('unknown_definition', `the agent does not have this definition of "${slug}" any more`);
}

/** Why an order contradicts the agent's own file; undefined if it does not (decision 60, the file is a floor). */
function fileProblem(order: ExecutionOrder, endpoint: Endpoint, context: LaunchContext): string | undefined {
  const { slug, agentName, maxConcurrent } = endpoint;
  if (agentName === HOSTED_AGENT)
    return `"${slug}" runs in a container of the hosted runner, and nowhere else`;
  if (context.localOnly) {
    if (!isForAgent(agentName, context.name)) return `the file says that "${slug}" runs on "${agentName}"`;
    if (maxConcurrent !== undefined && context.runningOf(slug) >= maxConcurrent)
      return `the file says that "${slug}" runs ${maxConcurrent} at a time, and that many run now`;
    const secret = dashedSecret(endpoint.program, order.secrets);
    if (secret !== undefined)
      return `the secret "${secret}" begins with "-", which the command of "${slug}" could take for an option: write "--" before it`;
  }
  return approvalProblem(order, endpoint, context);
}

/** A command that expects a body never gets an empty one instead (decision 73, the body as standard input). */
function stdinProblem({ stdin = false, form }: ExecutionOrder, endpoint: Endpoint): string | undefined {
  if (form !== undefined && (stdin || fileArguments(endpoint.args).length === 0))
    return `"${endpoint.slug}" takes no files`;
  if (stdin === (endpoint.stdin !== undefined)) return undefined;
  return stdin
    ? `"${endpoint.slug}" reads no body`
    : `"${endpoint.slug}" reads the body of a call from stdin, and there is none here: only a call over HTTP has one`;
}

/**
 * The files, or the body, that were approved; undefined: any are accepted. Where the definition demands an approval, an order
 * without them has none.
 */
function approvedInput(
  { files }: ExecutionOrder,
  { approvalRequired }: Endpoint,
): readonly ApprovedFile[] | undefined {
  return files ?? (approvalRequired ? [] : undefined);
}

/** Why an order and its approval do not name the same input; undefined: they may. */
function unapprovedBody(order: ExecutionOrder, endpoint: Endpoint): string | undefined {
  const approved = approvedInput(order, endpoint);
  if (order.form === undefined && order.stdin !== true && (approved ?? []).length > 0)
    return `the approved files of "${endpoint.slug}" are not here`;
  if (order.stdin !== true || approved === undefined) return undefined;
  if (approved.length === 1 && approved[0]?.argument === STDIN_FILE) return undefined;
  return `"${endpoint.slug}" reads a body, and its approval names none`;
}

/** `default` can mean the only connected agent, whatever its name (decision 31, which agent runs an endpoint). */
function isForAgent(agentName: string | undefined, name: string): boolean {
  return agentName === undefined || agentName === name || agentName === 'default';
}

/** A hub can shorten the timeout of a file, but not lengthen it (decision 60, the file is a floor). */
function timeoutOf({ timeout }: ExecutionOrder, { endpoint: { timeoutSec }, isOwn }: Found): number {
  if (timeout === undefined) return timeoutSec;
  return isOwn ? Math.min(timeout, timeoutSec) : timeout;
}

function launchOf(
  order: ExecutionOrder,
  endpoint: Endpoint,
  bound: BoundCommand,
  {
    cwd,
    inherited,
    user,
    timeoutSec,
  }: Pick<LaunchContext, 'inherited' | 'user'> & { readonly cwd: string; readonly timeoutSec: number },
): Launch {
  const { execution_id: executionId, env = {}, mask = [] } = order;
  const streams = streamsOf(endpoint);
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
    cwd,
    ...(user === undefined ? {} : { user }),
    timeoutMs: timeoutSec * 1000,
    output: 'frames',
    frameBytes: LINK_LIMITS.outputTargetBytes,
    ...(streams === undefined ? {} : { streams }),
    ...(order.stdin === true ? { stdin: true } : {}),
    ...(order.step === undefined ? {} : { step: order.step }),
    masks: [...bound.masks, ...mask],
    ...(endpoint.transform === undefined ? {} : { transform: endpoint.transform }),
  };
}

/** The command of a list, for the execution that it is a part of. */
function listLaunch(
  { execution_id: executionId, mask = [] }: ExecutionOrder,
  { slug, env: endpointEnv, timeoutSec, transform }: Endpoint,
  { argv, env: bound, masks }: BoundCommand,
  { cwd, inherited, user }: Pick<LaunchContext, 'inherited' | 'user'> & { readonly cwd: string },
): Launch {
  return {
    executionId,
    argv,
    inherited,
    env: commandEnvironment({ endpointEnv, bound, executionId, slug }),
    cwd,
    ...(user === undefined ? {} : { user }),
    timeoutMs: timeoutSec * 1000,
    output: 'raw',
    masks: [...masks, ...mask],
    ...(transform === undefined ? {} : { transform }),
  };
}

/**
 * Finds a managed secret that would become an option: it begins a word, and its value begins with `-`. Its owner may choose
 * such a value (decision 8, leading dash and sizes of values), but an agent that does not trust its hub cannot verify who
 * chose it (decision 60, the file is a floor).
 */
function dashedSecret(
  { words }: Pick<Program, 'words'>,
  secrets: Readonly<Record<string, string>>,
): string | undefined {
  for (const { pieces, afterDashes } of words) {
    if (afterDashes) continue;
    for (const piece of pieces) {
      if (piece.kind === 'text' && piece.text !== '') break;
      if (piece.kind === 'secret' && secrets[piece.name]?.startsWith('-')) return piece.name;
    }
  }
  return undefined;
}
