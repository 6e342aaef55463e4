import { isArgumentName } from '@svc/core/endpoint/argument-name';
import { isSlug } from '@svc/core/endpoint/slug';

/** The keys of an endpoint or a pipeline as `svc.yaml` has them, in the order in which they are written. */
export type ImportedDefinition = { readonly name: string } & Readonly<Record<string, unknown>>;

/** One entry of the other program's file, as endpoints and pipelines of `svc.yaml`. */
export interface ImportedEntry {
  readonly endpoint: ImportedDefinition;
  readonly pipeline?: ImportedDefinition;
  /** What is different in svc, one sentence each; it becomes a comment above the endpoint. */
  readonly notes: readonly string[];
}

/** An entry that has no counterpart, with the reason. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

/** What an importer reads from a file. */
export interface Imported {
  readonly entries: readonly ImportedEntry[];
  readonly leftOut: readonly LeftOut[];
  /** What is different for all entries; it becomes a comment at the top of the file. */
  readonly notes: readonly string[];
}

/** Makes slugs of names of another program, each only once in a file. */
export class Slugs {
  readonly #taken = new Set<string>();

  /** `Restart the server!` becomes `restart-the-server`, the second time `restart-the-server-2`. */
  next(name: string): string {
    const base = slugged(name);
    for (let count = 1; ; count += 1) {
      const slug = count === 1 ? base : `${base.slice(0, 60)}-${count}`;
      if (this.#taken.has(slug)) continue;
      this.#taken.add(slug);
      return slug;
    }
  }
}

function slugged(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, 64);
  return isSlug(slug) ? slug : 'command';
}

/** `head_commit.id` becomes `head_commit_id`. */
export function argumentName(name: string): string {
  const fitting = name
    .replaceAll(/[^A-Za-z0-9_-]/g, '_')
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, 64);
  return isArgumentName(fitting) ? fitting : '_';
}

/** A word of a command line, in single quotes where it needs them. */
export function quotedWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
