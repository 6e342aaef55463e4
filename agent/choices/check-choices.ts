import { resolve } from 'node:path';
import { type BoundCommand, bind } from '@svc/core/endpoint/bind';
import { missingChoice, notListed, readChoices } from '@svc/core/endpoint/choices/choice-list';
import { sourceProblem, sourceValues } from '@svc/core/endpoint/choices/choice-source';
import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { refuseArguments } from '@svc/core/endpoint/value/argument-problem';
import { LIMITS } from '@svc/core/plan/limits';
import { Refusal, refuse } from '@svc/core/refusal';
import { placePaths } from '../path/place-paths.ts';
import type { Ending, Launch, OutputSink, Runner } from '../runner/runner.ts';

/** A list that is read before a command starts, and the value that has to be in it. */
export interface ChoiceCheck {
  readonly argument: Argument;
  readonly value: string;
  /** The command of the list, with `output: 'raw'`. */
  readonly launch: Launch;
}

/** What the agent knows of its own endpoints. */
export interface ChoiceSources {
  /** An endpoint of the agent's own file. */
  readonly find: (slug: string) => Endpoint | undefined;
  /** The absolute folder of that file. */
  readonly folder: string;
  readonly launchOf: (source: Endpoint, bound: BoundCommand, cwd: string) => Launch;
}

/**
 * The lists to read again before a call runs (decision 69, choices from an endpoint): a value may have left its list since the form
 * was filled in. Refuses a list that this agent cannot give.
 */
export function choiceChecks(
  endpoint: Pick<Endpoint, 'slug' | 'args' | 'agentName'>,
  given: ReadonlyMap<string, string>,
  sources: ChoiceSources,
): readonly ChoiceCheck[] {
  return endpoint.args.flatMap((argument) => {
    const value = given.get(argument.name) ?? argument.default;
    if (argument.choicesFrom === undefined || argument.choicesCheck === false || value === undefined)
      return [];
    return [{ argument, value, launch: launchOf(endpoint, argument, given, sources) }];
  });
}

function launchOf(
  endpoint: Pick<Endpoint, 'args' | 'agentName'>,
  argument: Argument,
  given: ReadonlyMap<string, string>,
  { find, folder, launchOf: make }: ChoiceSources,
): Launch {
  const { choicesFrom = '', name } = argument;
  const source = find(choicesFrom);
  if (source === undefined)
    throw refuse(
      'agent_refused',
      `argument "${name}": the file of the agent has no endpoint "${choicesFrom}" to check the value with`,
    );
  const problem = sourceProblem(source, argument, source);
  if (problem !== undefined) throw refuse('agent_refused', `argument "${name}": ${problem}`);
  const read = sourceValues(argument, endpoint.args, given);
  if ('missing' in read)
    throw refuseArguments([{ argument: read.missing, message: `"${name}" depends on it` }]);
  const cwd = resolve(folder, source.cwd ?? '');
  const { values } = read;
  return make(source, bind(source, values, {}, placePaths(source, values, { folder, cwd })), cwd);
}

/**
 * How a checked command ended. `unlisted`: a value is not in its list, the list could not be read, or the command was refused after
 * that; nothing but lists ran.
 */
export type CheckedEnding = Ending | { readonly kind: 'unlisted'; readonly refusal: Refusal };

export interface CommandWithChecks {
  readonly ended: Promise<CheckedEnding>;
  /** Ends what runs now, the command of a list or the command itself. */
  cancel(): void;
}

/** Reads the lists one after another, and starts the command if every value is in its list. */
export function startChecked(
  checks: readonly ChoiceCheck[],
  runner: Pick<Runner, 'start'>,
  startCommand: () => ReturnType<Runner['start']>,
): CommandWithChecks {
  let current: ReturnType<Runner['start']> | undefined;
  let isCancelled = false;
  const run = async (): Promise<CheckedEnding> => {
    for (const check of checks) {
      const output = new ListOutput();
      current = runner.start(check.launch, output);
      const ending = await current.ended;
      if (isCancelled) return { kind: 'cancelled', durationMs: 0 };
      const refusal = refusalOf(check, ending, output);
      if (refusal !== undefined) return { kind: 'unlisted', refusal };
    }
    try {
      current = startCommand();
    } catch (error) {
      if (error instanceof Refusal) return { kind: 'unlisted', refusal: error };
      throw error;
    }
    return await current.ended;
  };
  return {
    ended: run(),
    cancel() {
      isCancelled = true;
      current?.cancel();
    },
  };
}

function refusalOf(
  { argument, value }: ChoiceCheck,
  ending: Ending,
  output: ListOutput,
): Refusal | undefined {
  const text = listText(ending, output);
  const read = 'problem' in text ? ({ kind: 'problem', ...text } as const) : readChoices(text.text);
  if (read.kind === 'problem')
    return refuse(
      'unavailable',
      `argument "${argument.name}" cannot be checked: "${argument.choicesFrom}" ${read.problem}`,
    );
  const missing = missingChoice(argument, value, read.choices);
  if (missing === undefined) return undefined;
  return refuseArguments([{ argument: argument.name, message: notListed(argument, missing) }]);
}

function listText(
  ending: Ending,
  output: ListOutput,
): { readonly text: string } | { readonly problem: string } {
  if (ending.kind === 'not_started' || ending.kind === 'lost')
    return { problem: `did not run: ${ending.message}` };
  if (ending.kind !== 'exited') return { problem: 'did not end in its time' };
  if (ending.exitCode !== 0) return { problem: `ended with exit code ${ending.exitCode}` };
  if (ending.transformed?.kind === 'data') return { text: ending.transformed.json };
  if (ending.transformed?.kind === 'failed')
    return { problem: `has no result: ${ending.transformed.reason}` };
  return output.isTruncated ? { problem: 'printed more than 1 MiB' } : { text: output.text() };
}

class ListOutput implements OutputSink {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  get isTruncated(): boolean {
    return this.#bytes > LIMITS.bufferedOutputBytes;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (!this.isTruncated) this.#chunks.push(chunk.slice());
  }

  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#chunks));
  }
}
