import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files that people deploy with. */
export const DEPLOY = join(import.meta.dir, '..', '..', 'deploy');

export function deployText(name: string): string {
  return readFileSync(join(DEPLOY, name), 'utf8');
}

/** Every document of a YAML file. */
export function deployYaml(name: string): unknown[] {
  const parsed: unknown = Bun.YAML.parse(deployText(name));
  return Array.isArray(parsed) ? parsed : [parsed];
}

export function filesIn(folder: string): string[] {
  return readdirSync(join(DEPLOY, folder))
    .sort()
    .map((name) => join(folder, name));
}

/** The variables of a file with a line `NAME=value` for each, as Compose and systemd read one. */
export function environmentFile(name: string): Record<string, string> {
  const lines = deployText(name).matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, variable = '', value = '']) => [variable, value]));
}
