/** What the deletion of an endpoint goes by while it is under way: then nobody reads that endpoint. */
export function deletionOf(name: string): readonly string[] {
  return ['deleteEndpoint', name];
}
