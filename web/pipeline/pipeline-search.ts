/** The address of a pipeline's page: which tab is open. */
export interface PipelineSearch {
  readonly tab?: string;
}

export function readPipelineSearch({ tab }: Readonly<Record<string, unknown>>): PipelineSearch {
  return typeof tab === 'string' ? { tab } : {};
}
