import type { Rolldown } from 'vite';
import { type ChunkGraph, importedBy, sharedFiles } from './shared-files.ts';

interface Files {
  readonly first: ReadonlySet<string>;
  readonly shared: ReadonlyMap<string, number>;
}

/**
 * Groups the modules into few files. Without the groups each module that two files share would be a request of its own. The first
 * view has two files: packages, which rarely change, and our own code. `sharedFiles` groups what the other pages share.
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
  // The bundler's own helpers are also needed by the script before this one.
  const isSource = (id: string) => !id.startsWith('\0') && id !== entry;
  return {
    // The plan decides: a lazy import of a module must not be included.
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: 'first view',
        name(id, graph) {
          if (!isSource(id) || !filesOf(graph).first.has(id)) return null;
          return id.includes('/node_modules/') ? 'vendor' : 'frame';
        },
      },
      {
        debugName: 'shared by pages',
        name(id, graph) {
          const file = isSource(id) ? filesOf(graph).shared.get(id) : undefined;
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
