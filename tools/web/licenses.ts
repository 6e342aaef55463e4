import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rooms that end up in the binary or in the dashboard. */
const SHIPPED = ['core', 'hub', 'agent', 'cli', 'web'] as const;
/** Packages that build the dashboard; nothing of them is in it. */
const BUILD_TOOLS = new Set(['vite', '@vitejs/plugin-react', '@tailwindcss/vite']);
const TEXTS = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, LockedPackage>>;

/** A package that is part of the program, by the lock file. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** The hash of its archive in the registry: `sha512-` and base64. */
  readonly integrity: string;
  /** The packages that it depends on, each as `name@version`. */
  readonly dependsOn: readonly string[];
  /** The texts that its authors put beside it. */
  readonly texts: readonly string[];
}

/** The packages of the binary and the dashboard with their licenses, by name. Throws where a license is not known. */
export function shippedPackages(root: string): readonly ShippedPackage[] {
  const { packages: lock } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Lock;
  };
  const found = new Map<string, ShippedPackage>();
  const waiting = SHIPPED.flatMap((room) => dependenciesOf(lock, room));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.set(path, packageAt(root, lock, path));
    waiting.push(...dependenciesOf(lock, path));
  }
  const byKey = new Map([...found.values()].map((one) => [keyOf(one), one]));
  return [...byKey.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** A package as `name@version`. */
export function keyOf({ name, version }: Pick<ShippedPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** Paths in the lock file. */
function dependenciesOf(lock: Lock, from: string): string[] {
  return Object.keys(lock[from]?.dependencies ?? {})
    .filter((name) => !name.startsWith('@svc/') && !BUILD_TOOLS.has(name))
    .map((name) => pathOf(lock, from, name));
}

/** Found as Node finds it: in the nearest node_modules above `from`. */
function pathOf(lock: Lock, from: string, name: string): string {
  const folders = from.split('/node_modules/');
  for (let depth = folders.length; depth > 0; depth -= 1) {
    const path = `${folders.slice(0, depth).join('/node_modules/')}/node_modules/${name}`;
    if (lock[path] !== undefined) return path;
  }
  if (lock[`node_modules/${name}`] !== undefined) return `node_modules/${name}`;
  throw new Error(`package-lock.json has no ${name} for ${from}`);
}

function packageAt(root: string, lock: Lock, path: string): ShippedPackage {
  const name = nameOf(path);
  const { version = '', license, integrity = '' } = lock[path] ?? {};
  if (license === undefined) throw new Error(`package-lock.json says no license of ${name}`);
  const folder = join(root, path);
  if (!existsSync(folder)) throw new Error(`${name} is not installed: npm start installs it`);
  const texts = readdirSync(folder)
    .filter((file) => TEXTS.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  const dependsOn = dependenciesOf(lock, path).map((other) =>
    keyOf({ name: nameOf(other), version: lock[other]?.version ?? '' }),
  );
  return { name, version, license, integrity, dependsOn, texts };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

const RUNTIME = `Bun and JavaScriptCore
The program runs on Bun (MIT), which contains JavaScriptCore and other parts of WebKit (LGPL-2.0-or-later) and
further libraries. Their licenses and sources: https://bun.com/docs/project/licensing`;

/**
 * The licenses as `svc licenses` prints them. Packages that share a text are listed above it.
 *
 * @param icons the license of the icons in our sources, which are of others
 */
export function licensesText(packages: readonly ShippedPackage[], own: string, icons: string): string {
  const byText = Map.groupBy(packages, ({ texts }) => texts.join('\n\n'));
  const parts = [...byText].map(([text, sharing]) => {
    const names = sharing.map(({ name, version, license }) => `${name} ${version} (${license})`);
    return [...names, '', text === '' ? 'The package has no text of its license.' : text].join('\n');
  });
  const drawn = `Icons of Lucide (ISC, MIT)\n\n${icons.trim()}`;
  return [`svc (Apache-2.0)\n\n${own.trim()}`, RUNTIME, drawn, ...parts]
    .join(`\n\n${'-'.repeat(78)}\n\n`)
    .concat('\n');
}

/** The licenses of the program of this checkout, as `svc licenses` prints them. */
export function ownLicenses(root: string): string {
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
  return licensesText(shippedPackages(root), textOf('LICENSE'), textOf('web/design/icons.LICENSE'));
}
