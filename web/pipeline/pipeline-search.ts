/** The query of a pipeline's page: the open tab. */
export interface PipelineSearch {
  readonly tab?: string;
}

export function readPipelineSearch({ tab }: Readonly<Record<string, unknown>>): PipelineSearch {
  return typeof tab === 'string' ? { tab } : {};
}
