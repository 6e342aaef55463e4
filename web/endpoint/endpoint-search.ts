/** The query of an endpoint's page: the open tab and the shown run. */
export interface EndpointSearch {
  readonly tab?: string;
  /** The execution that was started here. */
  readonly run?: string;
  /** The execution whose values fill the form. */
  readonly again?: string;
}

const ID = /^[0-9a-f-]{36}$/;

/** Reads the query and ignores invalid values. */
export function readEndpointSearch(search: Readonly<Record<string, unknown>>): EndpointSearch {
  const { tab, run, again } = search;
  return {
    ...(typeof tab === 'string' && { tab }),
    ...(isId(run) && { run }),
    ...(isId(again) && { again }),
  };
}

/** The query of the endpoint list. */
export interface EndpointsSearch {
  readonly q?: string;
  readonly tag?: string;
  readonly agent?: string;
  /** The column that orders the table: `p95`, or `-p95` for descending. */
  readonly sort?: string;
}

/** Reads the query of the endpoint list. */
export function readEndpointsSearch(search: Readonly<Record<string, unknown>>): EndpointsSearch {
  const { q, tag, agent, sort } = search;
  return {
    ...(isGiven(q) && { q }),
    ...(isGiven(tag) && { tag }),
    ...(isGiven(agent) && { agent }),
    ...(isGiven(sort) && { sort }),
  };
}

function isGiven(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}
