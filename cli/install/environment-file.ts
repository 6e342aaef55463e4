import { existsSync, readFileSync } from 'node:fs';

/** An environment file of systemd in which these variables have these values; other lines stay as they are. */
export function environmentText(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const lines = existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const kept = lines.filter((line) => !given.some(([name]) => line.startsWith(`${name}=`)));
  return [...kept, ...given.map(([name, value]) => `${name}=${value}`)].map((line) => `${line}\n`).join('');
}

/** The value of a variable in an environment file. */
export function valueIn(path: string, name: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(path, 'utf8'))?.[1];
}
