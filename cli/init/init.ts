import { writeFileSync } from 'node:fs';
import { suggest } from '@svc/core/suggest';
import { readTemplate } from '@svc/core/template/read-template';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';
import { DEFAULT_CONFIG } from '../config.ts';
import { Failure } from '../failure.ts';
import starter from '../starter/svc.yaml' with { type: 'text' };
import { type FactRow, writeRows } from '../terminal.ts';

export interface InitOptions {
  /** The file to write. */
  readonly config: string;
  readonly force?: true;
  /** The id of a template of the gallery; absent: the starter file. */
  readonly from?: string;
  readonly list?: true;
}

/** `svc init`: writes the starter file or a template. Without `force`, never overwrites a file. */
export function init({ config, force, from, list }: InitOptions): void {
  writeRows(process.stdout, list ? galleryRows() : writtenRows(config, from, force === true));
}

function writtenRows(config: string, from: string | undefined, force: boolean): FactRow[] {
  writeConfigFile(config, from === undefined ? starter : templateText(from), { force });
  const argument = config === DEFAULT_CONFIG ? '' : ` --config ${config}`;
  return [wroteRow(config), { label: 'try', text: `svc up${argument}` }];
}

/** Writes the starter file. Never overwrites a file. */
export function writeStarter(path: string): void {
  writeConfigFile(path, starter, { force: false });
  writeRows(process.stdout, [wroteRow(path)]);
}

function wroteRow(path: string): FactRow {
  return { label: 'wrote', text: path };
}

/** Writes a config file. `tip` is what to try when the file exists and is not replaced. */
export function writeConfigFile(
  path: string,
  text: string,
  { force, tip = 'svc init --force' }: { readonly force: boolean; readonly tip?: string },
): void {
  try {
    writeFileSync(path, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw failureFor(error, path, tip);
  }
}

const UNWRITABLE: ReadonlyMap<string | undefined, string> = new Map([
  ['EEXIST', 'already exists'],
  ['ENOENT', 'is in a folder that does not exist'],
  ['ENOTDIR', 'is in a folder that does not exist'],
  ['EISDIR', 'is a folder'],
  ['EACCES', 'is not writable by this user'],
  ['EPERM', 'is not writable by this user'],
  ['EROFS', 'is on a read-only file system'],
]);

function failureFor(error: unknown, path: string, tip: string): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  const what = UNWRITABLE.get(code) ?? `cannot be written: ${message}`;
  return new Failure(`${path} ${what}`, code === 'EEXIST' ? { tip } : {});
}

/** The text of a template of the gallery in this program: a whole `svc.yaml`. Throws a `Failure` for an unknown id. */
function templateText(id: string): string {
  const text = TEMPLATE_TEXTS.get(id);
  if (text !== undefined) return text;
  const meant = suggest(id, [...TEMPLATE_TEXTS.keys()]);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  throw new Failure(`there is no template "${id}"${hint}`, { tip: 'svc init --list' });
}

/** One row for each template of the gallery: its id, its name, and the words with which the gallery finds it. */
function galleryRows(): FactRow[] {
  return [...TEMPLATE_TEXTS].flatMap(([id, text]) => {
    const read = readTemplate(id, text);
    if (read.kind !== 'template') return [];
    const { name, category, tags } = read.template;
    return [{ label: id, text: `${category}: ${name} (${tags.join(', ')})` }];
  });
}
