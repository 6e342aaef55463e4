import { configJsonSchema } from '@svc/core/config/json-schema';
import { type ConfigKey, configKeys } from '@svc/core/config/key-facts';
import { suggest } from '@svc/core/suggest';
import { Failure } from '../failure.ts';
import { writeRows } from '../terminal.ts';

/** `svc explain`: the reference of svc.yaml, from the schema that reads the file. */
export function explainKey(wanted: string | undefined, json: boolean): void {
  const all = configKeys(configJsonSchema());
  const found = wanted === undefined ? all : matching(all, wanted);
  if (found.length === 0) throw unknownKey(all, wanted ?? '');
  if (json) for (const key of found) process.stdout.write(`${JSON.stringify(lineOf(key))}\n`);
  else
    writeRows(
      process.stdout,
      found.flatMap((key) => [
        { label: key.path, text: factsOf(key) },
        { label: '', text: key.description },
      ]),
    );
}

/** The key with this path or these last names, and the keys below it. */
function matching(all: readonly ConfigKey[], wanted: string): ConfigKey[] {
  const roots = all.filter(({ path }) => path === wanted);
  const places = roots.length > 0 ? roots : all.filter(({ path }) => path.endsWith(`.${wanted}`));
  return all.filter(({ path }) =>
    places.some((place) => path === place.path || path.startsWith(`${place.path}.`)),
  );
}

function factsOf({ type, isRequired, defaultValue }: ConfigKey): string {
  const absent = isRequired ? '; required' : defaultValue === undefined ? '' : `; default ${defaultValue}`;
  return `${type.replaceAll('`', '')}${absent}`;
}

function lineOf({ path, type, isRequired, defaultValue, description }: ConfigKey) {
  return {
    key: path,
    type: type.replaceAll('`', ''),
    required: isRequired,
    default: defaultValue ?? null,
    description,
  };
}

function unknownKey(all: readonly ConfigKey[], wanted: string): Failure {
  const names = [...new Set(all.flatMap(({ path }) => [path, path.split('.').at(-1) ?? '']))];
  const meant = suggest(wanted, names);
  return new Failure(
    `svc.yaml has no key "${wanted}"${meant === undefined ? '' : `: did you mean ${meant}?`}`,
    {
      tip: 'svc explain',
    },
  );
}
