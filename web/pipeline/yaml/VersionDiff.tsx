import { Disclosure } from '../../design/Disclosure.tsx';
import { DiffLines } from '../../endpoint/version/DiffLines.tsx';
import { lineDiff } from '../../endpoint/version/line-diff.ts';
import { DefinitionYaml } from './DefinitionYaml.tsx';
import { definitionYaml } from './definition-yaml.ts';

interface VersionDiffProps {
  readonly definition: object;
  /** The definition of the version before. */
  readonly before: object;
}

/** The lines that a version of a pipeline changed, and the whole of it. */
export function VersionDiff({ definition, before }: VersionDiffProps) {
  const lines = lineDiff(definitionYaml(before).trimEnd(), definitionYaml(definition).trimEnd());
  return (
    <div className="flex flex-col gap-2">
      {lines.every(({ kind }) => kind === 'same') ? (
        <p className="text-sm text-soft">No visible changes.</p>
      ) : (
        <div className="overflow-hidden rounded bg-sunken py-1 font-mono text-sm">
          <DiffLines lines={lines} />
        </div>
      )}
      <Disclosure summary="Whole definition">
        <DefinitionYaml definition={definition} />
      </Disclosure>
    </div>
  );
}
