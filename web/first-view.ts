import type { Rolldown } from 'vite';
import { type ChunkGraph, importedBy, sharedFiles } from './shared-files.ts';

/** Half of the bytes of all packages, in a file that arrives and runs beside the others. */
const REACT = /\/node_modules\/(?:react|react-dom|scheduler)\//;

interface Files {
  readonly first: ReadonlySet<string>;
  readonly shared: ReadonlyMap<string, number>;
}

/**
 * Groups the modules into few files. Without the groups each module that two files share would be a request of its own. The first
 * view has three files: two of packages, which rarely change, and one of our own code. `sharedFiles` groups what the other pages share.
 *
 * @param entry the module that the first view starts with
 */
export function firstView(entry: string): Rolldown.CodeSplittingOptions {
  const byGraph = new WeakMap<ChunkGraph, Files>();
  const filesOf = (graph: ChunkGraph) => {
    const known = byGraph.get(graph) ?? plan(entry, graph);
    byGraph.set(graph, known);
    return known;
  };
  const isHelper = (id: string) => id.startsWith('\0');
  return {
    // The plan decides: a lazy import of a module must not be included.
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: 'first view',
        name(id, graph) {
          if (id === entry || !(isHelper(id) || filesOf(graph).first.has(id))) return null;
          // The helpers of the bundler are not worth a request of their own.
          if (isHelper(id) || REACT.test(id)) return 'react';
          return id.includes('/node_modules/') ? 'vendor' : 'frame';
        },
      },
      {
        debugName: 'shared by pages',
        name(id, graph) {
          const file = isHelper(id) ? undefined : filesOf(graph).shared.get(id);
          return file === undefined ? null : `shared-${file}`;
        },
      },
    ],
  };
}

function plan(entry: string, graph: ChunkGraph): Files {
  const first = importedBy(entry, graph);
  return { first, shared: sharedFiles(entry, graph, (id) => first.has(id) || id.startsWith('\0')) };
}
