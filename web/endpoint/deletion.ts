/** The mutation key of the deletion of an endpoint; while the deletion is in progress, its page does not read it. */
export function deletionKey(name: string): readonly string[] {
  return ['deleteEndpoint', name];
}
