/**
 * The number on the host of a user in a container, from the container's map of users (user_namespaces(7)): another one where
 * the engine shifts users, as Docker does with `userns-remap`. Undefined: nobody.
 */
export function hostId(uidMap: string, inContainer: number): number | undefined {
  for (const line of uidMap.trim().split('\n')) {
    const [first = 0, onHost = 0, count = 0] = line.trim().split(/\s+/).map(Number);
    if (inContainer >= first && inContainer < first + count) return onHost + inContainer - first;
  }
  return undefined;
}
