import type { Fleet } from './fleet.ts';
import type { Mortal } from './mortal.ts';
import type { Seeded } from './seeded.ts';

export interface KillingOptions {
  readonly seeded: Seeded;
  /** Asked before each kill. */
  readonly continues: (kills: number) => boolean;
  /** These live on. */
  readonly isSpared: (mortal: Mortal) => boolean;
  /** Links that are cut silently stay so until agent and hub notice by themselves, which takes half a minute. */
  readonly isPatient: boolean;
  /** Between two kills. */
  readonly pauseMs?: { readonly least: number; readonly most: number };
}

const PAUSE_MS = { least: 300, most: 2_500 };
/** From a kill to the next start. */
const DEAD_MS = { least: 0, most: 4_000 };
/** Beside each kill: with this probability links break, too, or a hub's clock jumps. */
const LINKS_BREAK = 0.25;
const CLOCK_JUMPS = 0.15;
const SHARE_OF_LINKS = 0.3;

/** Answers the names of the dead, in their order; settles when all live again. */
export async function killAtRandom(fleet: Fleet, options: KillingOptions): Promise<string[]> {
  const { seeded, continues, isSpared, pauseMs = PAUSE_MS } = options;
  const mortals = fleet.mortals.filter((mortal) => !isSpared(mortal));
  const kinds = [...new Set(mortals.map(({ kind }) => kind))];
  const alive = new Set(mortals);
  const names: string[] = [];
  const starts: Promise<void>[] = [];
  while (continues(names.length)) {
    await Bun.sleep(seeded.between(pauseMs.least, pauseMs.most));
    disturb(fleet, options);
    // Each kind as often as another, however many there are of it.
    const kind = seeded.pick(kinds);
    const candidates = [...alive].filter((mortal) => mortal.kind === kind);
    if (candidates.length === 0) continue;
    const victim = seeded.pick(candidates);
    const deadMs = seeded.between(DEAD_MS.least, DEAD_MS.most);
    names.push(victim.name);
    alive.delete(victim);
    await victim.kill();
    starts.push(
      Bun.sleep(deadMs)
        .then(() => victim.start())
        .then(() => void alive.add(victim)),
    );
  }
  await Promise.all(starts);
  return names;
}

function disturb({ balancer, hubs }: Fleet, { seeded, isPatient }: KillingOptions): void {
  const isMeant = () => seeded.chance(SHARE_OF_LINKS);
  if (seeded.chance(LINKS_BREAK)) {
    if (isPatient && seeded.chance(0.5)) balancer.swallow(isMeant);
    else balancer.cut(isMeant);
  }
  if (seeded.chance(CLOCK_JUMPS)) seeded.pick(hubs).signal('SIGUSR1');
}
