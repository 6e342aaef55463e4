import type { SealedText } from './secret-ports.ts';
import type { SealedTexts } from './store/sealed-texts.ts';

/** A vault that can take over what an older key seals, without opening it. */
export interface Rewrapper {
  /** Of the key that seals. */
  readonly keyId: string;
  /** Throws for what was changed, and for what was sealed with a key that is not here. */
  rewrap(sealed: string): string;
}

export interface Rewrapped {
  readonly count: number;
  /** What no key that is here opens; it stays as it is. */
  readonly unreadable: readonly SealedText[];
}

const AT_ONCE = 20;

/**
 * Brings everything that is sealed under the current key, piece by piece: what a process that was killed has done stays
 * done, and the next one goes on behind it. Ends when a whole round finds nothing more, since hubs go on writing meanwhile.
 */
export async function rewrapAll(texts: SealedTexts, vault: Rewrapper): Promise<Rewrapped> {
  let count = 0;
  for (;;) {
    const round = await oneRound(texts, vault);
    count += round.count;
    if (round.count === 0) return { count, unreadable: round.unreadable };
  }
}

async function oneRound(texts: SealedTexts, vault: Rewrapper): Promise<Rewrapped> {
  const unreadable: SealedText[] = [];
  let count = 0;
  for (const place of texts.places) {
    let last: SealedText | undefined;
    do {
      const found = await texts.notUnder(vault.keyId, place, last, AT_ONCE);
      last = found.at(-1);
      const replaced = found.map(async (text) => {
        const sealed = rewrapped(vault, text);
        if (sealed === undefined) unreadable.push(text);
        else if (await texts.replace(text, sealed)) count += 1;
      });
      // Side by side they share commits.
      await Promise.all(replaced);
    } while (last !== undefined);
  }
  return { count, unreadable };
}

function rewrapped(vault: Rewrapper, { sealed }: SealedText): string | undefined {
  try {
    return vault.rewrap(sealed);
  } catch {
    // Told at the end with all others.
    return undefined;
  }
}
