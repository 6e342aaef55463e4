/** An endpoint as the config file has it. */
export type EndpointYaml = { readonly name: string; readonly command: string } & Readonly<
  Record<string, unknown>
>;

/** A pipeline as the config file has it. */
export type PipelineYaml = Readonly<Record<string, unknown>>;

/** JSON is YAML. */
export function configText(endpoints: readonly EndpointYaml[], pipelines?: readonly PipelineYaml[]): string {
  return JSON.stringify({ version: 1, endpoints, ...(pipelines && { pipelines }) }, null, 2);
}
