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

/** Reads the query of the endpoint list. */
export function readEndpointsSearch({ q }: Readonly<Record<string, unknown>>): { readonly q?: string } {
  return typeof q === 'string' && q !== '' ? { q } : {};
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}
