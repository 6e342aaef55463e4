/**
 * The host's id of a user in a container, from the user map of the container (user_namespaces(7)). It differs if the engine
 * shifts users, as Docker does with `userns-remap`. Undefined: the map lacks the user.
 */
export function hostId(uidMap: string, inContainer: number): number | undefined {
  for (const line of uidMap.trim().split('\n')) {
    const [first = 0, onHost = 0, count = 0] = line.trim().split(/\s+/).map(Number);
    if (inContainer >= first && inContainer < first + count) return onHost + inContainer - first;
  }
  return undefined;
}
