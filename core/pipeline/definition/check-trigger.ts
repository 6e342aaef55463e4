import { isMapping, soundParts } from '../../config/definition/sound-parts.ts';
import { atKey, atValue, type Path, type ValidationIssue } from '../../config/validation-issue.ts';
import type { InputField } from '../input/input-field.ts';
import { inputFieldSchema, triggerSchema } from './schema.ts';
import { triggerSecretProblem } from './trigger-secret.ts';

/**
 * The declared fields with a usable name, whatever the issues of the others. A field without a valid type may have any
 * type.
 */
export function declaredFields(trigger: unknown): Pick<InputField, 'name' | 'type'>[] {
  return fieldParts(trigger).flatMap(({ name, type = 'object' }) =>
    name === undefined ? [] : [{ name, type }],
  );
}

/** Checks a trigger beyond its shape: duplicate fields, and keys that only a webhook can have. */
export function checkTrigger(trigger: unknown, path: Path, isFile: boolean): ValidationIssue[] {
  const { type, secret } = soundParts(triggerSchema(), trigger);
  const issues = [
    ...twiceIssues(trigger, [...path, 'input_schema']),
    ...secretIssues(secret, [...path, 'secret'], isFile),
  ];
  if (!isMapping(trigger) || type !== 'manual') return issues;
  const hasFields = Array.isArray(trigger.input_schema) && trigger.input_schema.length > 0;
  const useless = [
    ...(hasFields ? ['input_schema'] : []),
    ...(trigger.secret === undefined ? [] : ['secret']),
  ];
  const reported = useless.map((key) =>
    atKey([...path, key], `${key} is about the body of a webhook: "type: webhook" expected`),
  );
  return [...issues, ...reported];
}

function secretIssues(secret: string | undefined, path: Path, isFile: boolean): ValidationIssue[] {
  const problem = secret === undefined ? undefined : triggerSecretProblem(secret, isFile);
  return problem === undefined ? [] : [atValue(path, problem)];
}

function twiceIssues(trigger: unknown, path: Path): ValidationIssue[] {
  const seen = new Set<string>();
  return fieldParts(trigger).flatMap(({ name }, index) => {
    if (name === undefined) return [];
    if (seen.has(name)) return [atValue([...path, index, 'name'], `field "${name}" is declared twice`)];
    seen.add(name);
    return [];
  });
}

function fieldParts(trigger: unknown) {
  const list = isMapping(trigger) && Array.isArray(trigger.input_schema) ? trigger.input_schema : [];
  return list.map((item: unknown) => soundParts(inputFieldSchema(), item));
}
