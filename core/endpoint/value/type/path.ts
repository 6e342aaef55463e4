/**
 * Why a value cannot be a path (decision 57, values by type), as a clause; undefined: it can. Only the agent knows where
 * the path leads.
 */
export function pathProblem(value: string): string | undefined {
  if (value === '') return 'is empty';
  const [first] = value;
  return first === '-' || first === '~' ? `begins with "${first}"` : undefined;
}
