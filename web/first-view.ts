import type { Rolldown } from 'vite';

type Graph = Parameters<Extract<Rolldown.CodeSplittingGroup['name'], (...args: never) => unknown>>[1];

/**
 * Groups the modules of the first view into two chunks: packages, which rarely change, and our own code. Without the groups
 * each module shared with a page would be a request of its own.
 *
 * @param entry the module that the first view starts with
 */
export function firstView(entry: string): Rolldown.CodeSplittingOptions {
  const byGraph = new WeakMap<Graph, ReadonlySet<string>>();
  const firstModules = (graph: Graph) => {
    const known = byGraph.get(graph) ?? importedBy(entry, graph);
    byGraph.set(graph, known);
    return known;
  };
  return {
    // `firstModules` decides: a lazy import of a module must not be included.
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: 'first view',
        name(id, graph) {
          // The bundler's own helpers are also needed by the script before this one.
          const isSource = !id.startsWith('\0') && id !== entry;
          if (!isSource || !firstModules(graph).has(id)) return null;
          return id.includes('/node_modules/') ? 'vendor' : 'frame';
        },
      },
    ],
  };
}

/** All static imports of a module, transitively. */
function importedBy(entry: string, graph: Graph): ReadonlySet<string> {
  const ids = new Set([entry]);
  for (const id of ids) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) ids.add(imported);
  return ids;
}
