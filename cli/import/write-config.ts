import { parseConfig } from '@svc/core/config/parse-config';
import { stringify } from 'yaml';
import type { Imported, ImportedDefinition, ImportedEntry, LeftOut } from './imported.ts';

export interface WrittenConfig {
  readonly yaml: string;
  readonly endpoints: number;
  readonly pipelines: number;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Writes the `svc.yaml` of an import, with the notes as comments. The file is always valid: an entry with a validation issue
 * becomes a comment at the end, which a person can correct.
 */
export function writeConfig({ entries, leftOut, notes }: Imported, origin: string): WrittenConfig {
  const checked = entries.map((entry) => ({ entry, problems: problemsOf(entry) }));
  const good = checked.filter(({ problems }) => problems.length === 0).map(({ entry }) => entry);
  const bad = checked.filter(({ problems }) => problems.length > 0);
  const pipelines = good.flatMap(({ pipeline }) => pipeline ?? []);
  const parts = [
    comment([
      `Imported from ${origin} by svc import. Read the notes: they say what is different here.`,
      ...notes,
    ]),
    'version: 1\n',
    good.length === 0 ? 'endpoints: []\n' : `endpoints:\n${good.map(endpointText).join('\n')}`,
    ...(pipelines.length === 0 ? [] : [`pipelines:\n${pipelines.map(listItem).join('\n')}`]),
    ...bad.map(({ entry, problems }) =>
      comment([`Not imported: ${problems.join('; ')}.`, ...entry.notes, ...itemLines(entry.endpoint)]),
    ),
  ];
  return {
    yaml: parts.join('\n'),
    endpoints: good.length,
    pipelines: pipelines.length,
    leftOut: [
      ...leftOut,
      ...bad.map(({ entry, problems }) => ({ name: entry.endpoint.name, reason: problems.join('; ') })),
    ],
  };
}

function problemsOf({ endpoint, pipeline }: ImportedEntry): string[] {
  const file = {
    version: 1,
    endpoints: [endpoint],
    ...(pipeline === undefined ? {} : { pipelines: [pipeline] }),
  };
  const parsed = parseConfig(yamlOf(file));
  return parsed.kind === 'problems' ? parsed.problems.map(({ message }) => message) : [];
}

function endpointText({ endpoint, notes }: ImportedEntry): string {
  return comment(notes).replaceAll(/^(?=.)/gm, '  ') + listItem(endpoint);
}

function itemLines(definition: ImportedDefinition): string[] {
  return listItem(definition).trimEnd().split('\n');
}

/** The definition as an item of a list, indented by two. */
function listItem(definition: ImportedDefinition): string {
  return yamlOf([definition]).replaceAll(/^(?=.)/gm, '  ');
}

function comment(lines: readonly string[]): string {
  return lines.map((line) => `# ${line.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ')}\n`).join('');
}

function yamlOf(value: unknown): string {
  return stringify(value, { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false });
}
