import { atKey, type Path, type ValidationIssue } from '../../config/finding.ts';

/** A definition whose `name` is called `slug`, and the way back for what is found in it. */
export interface NamedDefinition {
  readonly value: Readonly<Record<string, unknown>>;
  readonly findings: readonly ValidationIssue[];
  readonly placed: (finding: ValidationIssue) => ValidationIssue;
}

/** Both words are taken, because they are the same thing (decision 2); both at once only with the same value. */
export function withSlug(value: Readonly<Record<string, unknown>>, path: Path): NamedDefinition {
  const { name, ...rest } = value;
  const isNamed = name !== undefined && (rest.slug === undefined || rest.slug === name);
  const placed = (finding: ValidationIssue) => ({
    ...finding,
    path: [
      ...path,
      ...finding.path.map((part, at) => (isNamed && at === 0 && part === 'slug' ? 'name' : part)),
    ],
  });
  if (name === undefined) return { value, findings: [], placed };
  if (isNamed) return { value: { ...rest, slug: name }, findings: [], placed };
  const findings = [atKey([...path, 'name'], 'name and slug are the same thing; leave one of them out')];
  return { value: rest, findings, placed };
}
