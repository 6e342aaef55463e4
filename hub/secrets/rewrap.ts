import type { SealedText } from './secret-ports.ts';
import type { SealedTexts } from './store/sealed-texts.ts';

/** A vault that can seal a text of an older key under its current key. */
export interface Rewrapper {
  /** The id of the current key. */
  readonly keyId: string;
  /** Throws when the text was changed, or when its key is missing. */
  rewrap(sealed: string): string;
}

export interface Rewrapped {
  readonly count: number;
  /** The texts that no available key opens. They stay unchanged. */
  readonly unreadable: readonly SealedText[];
}

const BATCH_SIZE = 20;

/**
 * Seals every sealed text under the current key, one text at a time. A process that is killed keeps its progress, and the
 * next one continues. Hubs write in the meantime, so the work ends when a whole round finds nothing more.
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
      const found = await texts.notUnder(vault.keyId, place, last, BATCH_SIZE);
      last = found.at(-1);
      const replaced = found.map(async (text) => {
        const sealed = rewrapped(vault, text);
        if (sealed === undefined) unreadable.push(text);
        else if (await texts.replace(text, sealed)) count += 1;
      });
      // Concurrent writes share a commit.
      await Promise.all(replaced);
    } while (last !== undefined);
  }
  return { count, unreadable };
}

function rewrapped(vault: Rewrapper, { sealed }: SealedText): string | undefined {
  try {
    return vault.rewrap(sealed);
  } catch {
    // The caller reports all unreadable texts at the end.
    return undefined;
  }
}
