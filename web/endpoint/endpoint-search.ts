/** The address of an endpoint's page: which tab is open, and which run is shown. */
export interface EndpointSearch {
  readonly tab?: string;
  /** The execution that was started here. */
  readonly run?: string;
  /** The execution whose values the form begins with. */
  readonly again?: string;
}

const ID = /^[0-9a-f-]{36}$/;

/** Reads the address; what it does not understand is as if it were not there. */
export function readEndpointSearch(search: Readonly<Record<string, unknown>>): EndpointSearch {
  const { tab, run, again } = search;
  return {
    ...(typeof tab === 'string' && { tab }),
    ...(isId(run) && { run }),
    ...(isId(again) && { again }),
  };
}

/** The search of the list. */
export function readEndpointsSearch({ q }: Readonly<Record<string, unknown>>): { readonly q?: string } {
  return typeof q === 'string' && q !== '' ? { q } : {};
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}
