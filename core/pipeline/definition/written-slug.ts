import { atKey, type Path, type ValidationIssue } from '../../config/validation-issue.ts';

/** Renames `name` to `slug` in a definition, and back in the paths of its issues. */
export interface NamedDefinition {
  readonly value: Readonly<Record<string, unknown>>;
  readonly issues: readonly ValidationIssue[];
  readonly placed: (issue: ValidationIssue) => ValidationIssue;
}

/** `name` and `slug` mean the same (decision 2, slugs). Both may be given only with the same value. */
export function withSlug(value: Readonly<Record<string, unknown>>, path: Path): NamedDefinition {
  const { name, ...rest } = value;
  const isNamed = name !== undefined && (rest.slug === undefined || rest.slug === name);
  const placed = (issue: ValidationIssue) => ({
    ...issue,
    path: [
      ...path,
      ...issue.path.map((part, at) => (isNamed && at === 0 && part === 'slug' ? 'name' : part)),
    ],
  });
  if (name === undefined) return { value, issues: [], placed };
  if (isNamed) return { value: { ...rest, slug: name }, issues: [], placed };
  const issues = [atKey([...path, 'name'], 'name and slug are the same thing; leave one of them out')];
  return { value: rest, issues, placed };
}
