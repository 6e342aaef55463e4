/** The house as a table: which room a file belongs to, and which rooms each may import (ARCHITECTURE.md). */
export interface Room {
  readonly name: string;
  /** Files whose path begins with one of these belong here; the first room that matches wins. */
  readonly paths: readonly string[];
  /** Names of the rooms it may import, besides itself. */
  readonly mayImport: readonly string[];
}

export const ROOMS: readonly Room[] = [
  { name: 'core', paths: ['core/'], mayImport: [] },
  { name: 'templates', paths: ['templates/'], mayImport: [] },
  { name: 'hub', paths: ['hub/'], mayImport: ['core', 'templates'] },
  { name: 'runner port', paths: ['agent/runner/runner.ts'], mayImport: ['core'] },
  { name: 'agent/runner', paths: ['agent/runner/'], mayImport: ['core', 'runner port'] },
  { name: 'agent/path', paths: ['agent/path/'], mayImport: ['core'] },
  { name: 'agent/choices', paths: ['agent/choices/'], mayImport: ['core', 'runner port', 'agent/path'] },
  { name: 'agent/files', paths: ['agent/files/'], mayImport: ['core', 'runner port'] },
  {
    name: 'agent/link',
    paths: ['agent/link/'],
    mayImport: ['core', 'runner port', 'agent/path', 'agent/choices', 'agent/files'],
  },
  {
    name: 'agent/standalone',
    paths: ['agent/standalone/'],
    mayImport: ['core', 'runner port', 'agent/path', 'agent/choices', 'agent/files'],
  },
  {
    name: 'agent entries',
    paths: ['agent/'],
    mayImport: [
      'core',
      'runner port',
      'agent/runner',
      'agent/path',
      'agent/choices',
      'agent/files',
      'agent/link',
      'agent/standalone',
    ],
  },
  { name: 'web', paths: ['web/'], mayImport: ['core'] },
  { name: 'clients', paths: ['clients/'], mayImport: [] },
  { name: 'cli', paths: ['cli/'], mayImport: ['core', 'templates', 'agent entries', 'hub'] },
];

/** Tests, benchmarks and tools stand outside the house and may look into every room. */
export const OUTSIDE = ['test/', 'bench/', 'tools/'] as const;

export function roomOf(path: string): Room | undefined {
  return ROOMS.find((room) => room.paths.some((prefix) => path === prefix || path.startsWith(prefix)));
}
