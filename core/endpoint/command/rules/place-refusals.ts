import { isSecretName } from '../secret-name.ts';
import type { ValueUse } from '../shell/script.ts';
import type { Check } from './check.ts';
import { evaluatedUses, type HostileUse } from './hostile-use.ts';
import { WHY_REFUSED, whyDescriptor, whyEvaluated } from './refused-places.ts';
import { isSafeToSet, whyVariable } from './set-variable.ts';
import type { Reason } from './walk.ts';

/** The rules for which it does not matter what command a value belongs to. */
export function refusePlaces(check: Check): void {
  const { script, uses, problems } = check;
  for (const { use, place } of script.refused) {
    for (const hostile of uses.within(use)) problems.add(use, WHY_REFUSED[place](hostile));
  }
  for (const use of script.values) refuseName(check, use);
  for (const use of evaluatedUses(script, uses)) problems.add(use, whyEvaluated(use));
  for (const use of script.descriptors.flatMap(uses.within)) problems.add(use, whyDescriptor(use));
  refuseSettings(check);
}

/** Secret arguments are for the environment only (decision 9); some names no secret can have (decision 13). */
function refuseName({ args, uses, problems }: Check, use: ValueUse): void {
  const argument = args.find(({ name }) => use.kind === 'argument' && name === use.name);
  if (argument?.secret) {
    for (const hostile of uses.within(use)) problems.add(use, whySecretArgument(hostile));
  }
  if (use.kind === 'secret' && !isSecretName(use.name)) {
    const rule = 'up to 64 letters, digits and _, and none of the names that decide what runs';
    problems.add(use, `no secret can be called ${use.name}: ${rule}`);
  }
}

function refuseSettings({ script, uses, problems }: Check): void {
  for (const setting of script.settings) {
    if (isSafeToSet(setting.name)) continue;
    const others = uses.within(setting).filter((use) => !readsItself(use, setting.name));
    for (const use of others) problems.add(use, whyVariable(setting.name)(use));
  }
}

/** `PATH={{x}}:$PATH`: what is wrong is said once. */
function readsItself(use: HostileUse, name: string): boolean {
  return use.shown === `$${name}` || use.shown.startsWith(`\${${name}`);
}

const whySecretArgument: Reason = (use) =>
  `${use.shown} is a secret argument and other users of the machine could see it in the process list: ` +
  `let the program read ${use.variable} from its environment`;
