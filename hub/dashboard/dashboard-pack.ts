import { join } from 'node:path';
import { AssetPack } from './asset-pack.ts';

const NAME = 'dashboard';
/** The output of the build, beside the source. */
const BUILT = join(import.meta.dirname, '../../web/dist', `${NAME}.pack`);

interface Kept {
  readonly changedMs: number;
  readonly pack: AssetPack;
}

/** The built dashboard: from the binary, else the newest beside the source; undefined: none. */
export function dashboardPack(): () => Promise<AssetPack | undefined> {
  let kept: Kept | undefined;
  return async () => {
    const file = embedded() ?? Bun.file(BUILT);
    if (!(await file.exists())) return undefined;
    const { lastModified: changedMs } = file;
    if (kept?.changedMs === changedMs) return kept.pack;
    const pack = new AssetPack(await file.bytes());
    kept = { changedMs, pack };
    return pack;
  };
}

/** Bun adds a hash to the names of embedded files; its types do not declare them as files. */
function embedded(): Bun.BunFile | undefined {
  const files = Bun.embeddedFiles as readonly Bun.BunFile[];
  return files.find(({ name }) => name?.startsWith(`${NAME}-`) && name.endsWith('.pack'));
}
