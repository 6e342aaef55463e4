import type { ApiClient } from '@svc/core/api/client/client-of';
import type { Candidate } from '../reference/complete.ts';

type Argument = Awaited<ReturnType<ApiClient['showEndpoint']>>['args'][number];

const MAX_SHOWN = 100;
/** `name=value`, but not `name:=json` and `name=@file`, which are not completed. */
const ASSIGNMENT = /^([^=@:][^=:]*)=(?!@)(.*)$/s;

/**
 * What can stand at the cursor of `svc call <endpoint> [name=value …]`, as the service knows it for the member that is signed in: an
 * endpoint, an argument, or a value of one. `words` are those behind `call` without options; the last one is being typed.
 */
export async function completeCall(
  api: Pick<ApiClient, 'listEndpoints' | 'showEndpoint' | 'listChoices'>,
  words: readonly string[],
): Promise<Candidate[]> {
  const [target = '', ...values] = words;
  if (values.length === 0) {
    const { items } = await api.listEndpoints({ query: { limit: MAX_SHOWN, search: target } });
    return items
      .filter(({ name }) => name.startsWith(target))
      .map(({ name, description }) => ({ word: name, text: description ?? '' }));
  }
  // `user/name` is a name of the own workspace, or unknown here.
  const name = target.slice(target.lastIndexOf('/') + 1);
  const { args } = await api.showEndpoint({ parameters: { name } });
  const typed = values.at(-1) ?? '';
  const [, argumentName, begun = ''] = ASSIGNMENT.exec(typed) ?? [];
  const given = givenValues(values.slice(0, -1), args);
  if (argumentName === undefined)
    return args
      .filter((one) => one.name.startsWith(typed) && (one.type === 'list' || !(one.name in given)))
      .map((one) => ({ word: `${one.name}=`, text: one.description ?? '' }));
  const argument = args.find((one) => one.name === argumentName);
  const choices = argument === undefined ? [] : await choicesOf(api, name, argument, begun, given);
  return choices
    .filter(({ value }) => value.startsWith(begun))
    .map(({ value, label }) => ({ word: `${argumentName}=${value}`, text: label ?? '' }));
}

interface Choice {
  readonly value: string;
  readonly label?: string | undefined;
}

async function choicesOf(
  api: Pick<ApiClient, 'listChoices'>,
  name: string,
  { name: argument, type, choices, choices_from: source }: Argument,
  begun: string,
  given: Readonly<Record<string, unknown>>,
): Promise<readonly Choice[]> {
  if (choices !== undefined) return choices.map((value) => ({ value }));
  if (type === 'boolean') return [{ value: 'true' }, { value: 'false' }];
  if (source === undefined) return [];
  const query = { values: JSON.stringify(given), search: begun, limit: MAX_SHOWN };
  return (await api.listChoices({ parameters: { name, argument }, query })).items;
}

/** The values that stand before the cursor, on which a list may depend. */
function givenValues(words: readonly string[], args: readonly Argument[]): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const word of words) {
    const [, name, value = ''] = ASSIGNMENT.exec(word) ?? [];
    const argument = args.find((one) => one.name === name);
    if (argument === undefined) continue;
    const before = given[argument.name];
    given[argument.name] =
      argument.type === 'list' ? [...(Array.isArray(before) ? before : []), value] : value;
  }
  return given;
}
