/** Why a value cannot be a path (decision 57), as a clause; undefined when it can. Where the path leads, only the agent knows. */
export function pathProblem(value: string): string | undefined {
  if (value === '') return 'is empty';
  const [first] = value;
  return first === '-' || first === '~' ? `begins with "${first}"` : undefined;
}
