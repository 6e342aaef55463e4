import type { Rolldown } from 'vite';

type Graph = Parameters<Extract<Rolldown.CodeSplittingGroup['name'], (...args: never) => unknown>>[1];

/**
 * The files that the first view is made of: what packages it stands on, which no release of ours changes, and all of ours that
 * is loaded before anything is shown. Else each part that some page shares would be a request of its own.
 *
 * @param begin the module that the first view begins with
 */
export function firstView(begin: string): Rolldown.CodeSplittingOptions {
  const byGraph = new WeakMap<Graph, ReadonlySet<string>>();
  const loadedFirst = (graph: Graph) => {
    const known = byGraph.get(graph) ?? importedBy(begin, graph);
    byGraph.set(graph, known);
    return known;
  };
  return {
    // The graph is asked: what a module imports later must not come along.
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: 'first view',
        name(id, graph) {
          // What the bundler makes itself is needed by the script before this one, too.
          const isOurs = !id.startsWith('\0') && id !== begin;
          if (!isOurs || !loadedFirst(graph).has(id)) return null;
          return id.includes('/node_modules/') ? 'vendor' : 'frame';
        },
      },
    ],
  };
}

/** Everything that is loaded with it, and not later. */
function importedBy(begin: string, graph: Graph): ReadonlySet<string> {
  const ids = new Set([begin]);
  for (const id of ids) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) ids.add(imported);
  return ids;
}
