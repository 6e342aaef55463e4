import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha256 } from './checksums.ts';
import type { Release } from './release.ts';

/** An archive of the release, with the machine that it is for. */
export interface TargetArchive {
  /** As in `targets.ts`. */
  readonly target: string;
  readonly file: string;
}

/** Where the formula has each machine: Homebrew's block for the system, and for the processor. */
const PLACES = [
  { system: 'on_macos', processor: 'on_arm', target: 'darwin-arm64' },
  { system: 'on_macos', processor: 'on_intel', target: 'darwin-x64' },
  { system: 'on_linux', processor: 'on_arm', target: 'linux-arm64' },
  { system: 'on_linux', processor: 'on_intel', target: 'linux-x64' },
] as const;

/** Writes the formula of Homebrew with the digests of the archives. Undefined when the release is for none of its machines. */
export function writeFormula(
  release: Release,
  baseUrl: string,
  archives: readonly TargetArchive[],
): string | undefined {
  const places = PLACES.flatMap((place) => {
    const archive = archives.find(({ target }) => target === place.target);
    return archive === undefined ? [] : [{ ...place, file: archive.file }];
  });
  if (places.length === 0) return undefined;
  const systems = ['on_macos', 'on_linux'].flatMap((system) => {
    const inside = places.filter((place) => place.system === system);
    if (inside.length === 0) return [];
    const blocks = inside.map(
      ({ processor, file }) => `    ${processor} do
      url ${quoted(`${baseUrl.replace(/\/$/, '')}/${basename(file)}`)}
      sha256 ${quoted(sha256(file))}
    end
`,
    );
    return [`  ${system} do\n${blocks.join('')}  end\n\n`];
  });
  const file = join(release.folder, 'svc.rb');
  writeFileSync(
    file,
    `class Svc < Formula
  desc "Turns commands into HTTP endpoints that stream"
  homepage ${quoted(baseUrl)}
  version ${quoted(release.version)}
  license "Apache-2.0"

${systems.join('')}  def install
    bin.install "svc"
    generate_completions_from_executable(bin/"svc", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/svc --version")
  end
end
`,
  );
  return file;
}

/** A string of Ruby in which nothing is evaluated. */
function quoted(text: string): string {
  return `"${text.replace(/["\\#]/g, '\\$&')}"`;
}
