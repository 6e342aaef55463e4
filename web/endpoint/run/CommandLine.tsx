import { clippedValue } from '@svc/core/approval/clipped-value';
import { type CommandPart, shownCommand } from '@svc/core/approval/shown-command';
import { Visible } from '../../design/text/Code.tsx';
import { VisibleLines } from '../../design/text/VisibleLines.tsx';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { argumentsOf } from './check-call.ts';
import type { RunValues } from './run-values.ts';

interface CommandLineProps {
  readonly endpoint: Pick<WireEndpoint, 'command' | 'args'>;
  /** Undefined: placeholders show the names of their arguments. */
  readonly values?: RunValues | undefined;
}

/** A command with its placeholders, or with its values as it will run: values are set apart, secrets show their name. */
export function CommandLine({ endpoint: { command, args }, values }: CommandLineProps) {
  const shown = shownCommand({ command, args: argumentsOf(args) }, Object.fromEntries(values ?? []));
  return (
    <code className="block whitespace-pre-wrap wrap-anywhere font-mono text-sm leading-6">
      {shown.map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a command have no other name
        <Part key={place} part={values === undefined ? placeOf(part) : part} />
      ))}
    </code>
  );
}

/** Without values each placeholder shows the name of its argument. */
function placeOf(part: CommandPart): CommandPart | { readonly kind: 'place'; readonly name: string } {
  return part.kind === 'value' || part.kind === 'absent' ? { kind: 'place', name: part.name } : part;
}

const VALUE = 'rounded bg-accent-wash px-1 text-ink';

function Part({ part }: { readonly part: ReturnType<typeof placeOf> }) {
  switch (part.kind) {
    case 'text':
      return <VisibleLines text={part.text} />;
    case 'place':
      return <span className={`${VALUE} text-accent`}>{`{{${part.name}}}`}</span>;
    case 'secret':
      return (
        <span className="rounded bg-waiting-wash px-1 text-waiting" title="Secret, not shown">
          {part.name} ●●●
        </span>
      );
    case 'absent':
      return (
        <span className="rounded border border-dashed border-edge px-1 text-soft" title="Not set">
          {part.name}
        </span>
      );
    case 'value':
      return <Value name={part.name} text={part.text} />;
  }
}

function Value({ name, text }: { readonly name: string; readonly text: string }) {
  const clipped = clippedValue(text);
  return (
    <span className={VALUE} title={name}>
      {clipped.kind === 'whole' ? (
        <Visible text={clipped.text} />
      ) : (
        <>
          <Visible text={clipped.head} />
          <span className="text-soft">‹{clipped.left} more characters›</span>
          <Visible text={clipped.tail} />
        </>
      )}
    </span>
  );
}
