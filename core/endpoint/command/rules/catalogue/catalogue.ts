import { BUILTINS } from './builtins.ts';
import { CLIENTS } from './clients.ts';
import { CONTAINERS } from './containers.ts';
import { INTERPRETERS } from './interpreters.ts';
import type { Rule } from './rule.ts';
import { TOOLS } from './tools.ts';
import { WRAPPERS } from './wrappers.ts';

const TABLES = [WRAPPERS, CONTAINERS, INTERPRETERS, CLIENTS, TOOLS, BUILTINS];

/**
 * The rule of a command by its name in lower case; undefined for a command whose words are mere data to all we know.
 * `python3.11` has the rule of `python`.
 */
export function findRule(name: string): Rule | undefined {
  return ruleNamed(name) ?? ruleNamed(name.replace(/-?[0-9][0-9.]*$/, ''));
}

function ruleNamed(name: string): Rule | undefined {
  return TABLES.find((table) => table.has(name))?.get(name);
}
