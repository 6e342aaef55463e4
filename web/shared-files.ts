import type { Rolldown } from 'vite';

export type ChunkGraph = Parameters<
  Extract<Rolldown.CodeSplittingGroup['name'], (...args: never) => unknown>
>[1];

/** What one more request costs a page, in bytes of source: a round trip, headers, and a compression that starts anew. */
const REQUEST_BYTES = 20_000;

/** Modules that are in one file. */
interface File {
  readonly ids: readonly string[];
  readonly bytes: number;
  /** The lazily loaded modules that need this file. */
  readonly users: ReadonlySet<string>;
}

/**
 * Groups the modules that lazily loaded modules share into files. A file for each set of users would load no byte too many, but
 * a page would make forty requests. Two files become one where the saved requests outweigh the additional bytes.
 *
 * @param root the module that everything is loaded from
 * @param isTaken whether a module belongs to another file
 * @returns the number of the file of each shared module
 */
export function sharedFiles(
  root: string,
  graph: ChunkGraph,
  isTaken: (id: string) => boolean,
): ReadonlyMap<string, number> {
  const { ids, lazy } = reachable(root, graph);
  const users = new Map<string, Set<string>>();
  for (const user of lazy)
    for (const id of importedBy(user, graph)) users.set(id, (users.get(id) ?? new Set()).add(user));
  const shared = ids.filter((id) => !isTaken(id) && !lazy.has(id) && (users.get(id)?.size ?? 0) > 1);
  const bySet = Map.groupBy(shared, (id) => [...(users.get(id) ?? [])].toSorted().join());
  const files: File[] = [...bySet.values()].map((members) => ({
    ids: members,
    bytes: members.reduce((sum, id) => sum + (graph.getModuleInfo(id)?.code?.length ?? 0), 0),
    users: users.get(members[0] ?? '') ?? new Set(),
  }));
  return new Map(merged(files).flatMap((file, n) => file.ids.map((id) => [id, n] as const)));
}

/** All modules, and those of them that are loaded lazily. */
function reachable(root: string, graph: ChunkGraph) {
  const ids = new Set([root]);
  const lazy = new Set<string>();
  for (const id of ids) {
    const info = graph.getModuleInfo(id);
    for (const one of info?.importedIds ?? []) ids.add(one);
    for (const one of info?.dynamicallyImportedIds ?? []) {
      ids.add(one);
      lazy.add(one);
    }
  }
  return { ids: [...ids], lazy };
}

/** A module and all its static imports, transitively. */
export function importedBy(entry: string, graph: ChunkGraph): ReadonlySet<string> {
  const ids = new Set([entry]);
  for (const id of ids) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) ids.add(imported);
  return ids;
}

/** Merges the two files that gain most, until no merge gains anything. */
function merged(files: readonly File[]): readonly File[] {
  const left = [...files];
  for (;;) {
    let best: { gain: number; one: File; other: File } | undefined;
    for (const [n, one] of left.entries())
      for (const other of left.slice(n + 1)) {
        const gain = gainOf(one, other);
        if (gain > (best?.gain ?? 0)) best = { gain, one, other };
      }
    if (best === undefined) return left;
    const { one, other } = best;
    left.splice(left.indexOf(other), 1);
    left.splice(left.indexOf(one), 1, {
      ids: [...one.ids, ...other.ids],
      bytes: one.bytes + other.bytes,
      users: one.users.union(other.users),
    });
  }
}

/** The saved requests minus the additional bytes, over all users. */
function gainOf(one: File, other: File): number {
  const both = one.users.intersection(other.users).size;
  const more = one.bytes * (other.users.size - both) + other.bytes * (one.users.size - both);
  return both * REQUEST_BYTES - more;
}
