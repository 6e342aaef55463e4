import { readFileSync, writeFileSync } from 'node:fs';
import { DEFAULT_CONFIG } from '../config.ts';
import { Failure } from '../failure.ts';
import { writeConfigFile } from '../init/init.ts';
import { plural } from '../plural.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import { importCrontab } from './crontab.ts';
import type { Imported } from './imported.ts';
import { importOliveTin } from './olivetin.ts';
import { importWebhook } from './webhook.ts';
import { type WrittenConfig, writeConfig } from './write-config.ts';

export interface ImportOptions {
  /** The file to write; `-` is standard output. */
  readonly config: string;
  readonly force?: true;
  readonly system?: true;
}

export type ImportedProgram = 'crontab' | 'olivetin' | 'webhook';

/** `svc import`: writes a `svc.yaml` of the file of another program. */
export function importFile(
  program: ImportedProgram,
  file: string,
  { config, force, system }: ImportOptions,
): void {
  const text = readInput(file);
  const hasUser = system === true || /^\/etc\/(?:crontab$|cron\.d\/)/.test(file);
  const written = writeConfig(importers[program](text, hasUser), file === '-' ? program : file);
  if (config === '-') writeFileSync(1, written.yaml);
  else
    writeConfigFile(config, written.yaml, {
      force: force === true,
      tip: `svc import ${program} ${file} --force`,
    });
  writeRows(process.stderr, rowsOf(written, config));
}

const importers: Readonly<Record<ImportedProgram, (text: string, hasUser: boolean) => Imported>> = {
  crontab: (text, hasUser) =>
    importCrontab(text, { hasUser, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
  olivetin: (text) => importOliveTin(text),
  webhook: (text) => importWebhook(text),
};

function rowsOf({ endpoints, pipelines, leftOut }: WrittenConfig, config: string): FactRow[] {
  const counted = [plural(endpoints, 'endpoint'), ...(pipelines > 0 ? [plural(pipelines, 'pipeline')] : [])];
  const flag = config === DEFAULT_CONFIG ? '' : ` --config ${config}`;
  return [
    ...(config === '-' ? [] : [{ label: 'wrote', text: `${config}: ${counted.join(' and ')}` }]),
    ...leftOut.map(
      ({ name, reason }): FactRow => ({ label: 'left out', text: `${name}: ${reason}`, tone: 'warning' }),
    ),
    ...(config === '-'
      ? []
      : [{ label: 'try', text: `read the notes in ${config}, then svc validate --explain${flag}` }]),
  ];
}

function readInput(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(`${file} ${code === 'ENOENT' ? 'does not exist' : `cannot be read: ${message}`}`);
  }
}
