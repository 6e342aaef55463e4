import { atKey, type Path, type ValidationIssue } from '../validation-issue.ts';
import { isMapping } from './sound-parts.ts';

const WHY = 'without a known caller no other person can be asked (decision 60)';

/** Checks that an endpoint with `allow_self: false` cannot run without a known caller (decision 60, the file is a floor). */
export function fourEyesIssues(value: unknown, path: Path): ValidationIssue[] {
  if (!isMapping(value) || value.allow_self !== false) return [];
  const isPublic = value.public === true;
  const isScheduled = value.approval_required === true && value.schedule !== undefined;
  return [
    ...(isPublic
      ? [atKey([...path, 'public'], `"public: true" does not go with "allow_self: false": ${WHY}`)]
      : []),
    ...(isScheduled
      ? [
          atKey(
            [...path, 'schedule'],
            `a schedule does not go with "allow_self: false": ${WHY}; name approvers instead, or schedule another endpoint`,
          ),
        ]
      : []),
  ];
}
