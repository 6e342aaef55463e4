import { classes } from '../classes.ts';
import { Mark } from './Mark.tsx';
import { type ShownState, STATES, TONE_CLASS } from './states.ts';

interface StateMarkProps {
  readonly state: ShownState;
  /** Hides the word, except from screen readers and on hover. */
  readonly isCompact?: boolean;
}

/** A state as mark, word and colour. */
export function StateMark({ state, isCompact = false }: StateMarkProps) {
  const { mark, word, tone } = STATES[state];
  return (
    <span
      title={isCompact ? word : undefined}
      className={classes('inline-flex items-center gap-1.5 whitespace-nowrap', TONE_CLASS[tone])}
    >
      <Mark shape={mark} />
      <span className={isCompact ? 'sr-only' : 'self-baseline'}>{word}</span>
    </span>
  );
}
