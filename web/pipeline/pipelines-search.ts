/** The query of the pipeline list. */
export interface PipelinesSearch {
  readonly tag?: string;
}

/** Reads the query of the pipeline list. */
export function readPipelinesSearch({ tag }: Readonly<Record<string, unknown>>): PipelinesSearch {
  return typeof tag === 'string' && tag !== '' ? { tag } : {};
}
