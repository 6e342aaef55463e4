import { classes } from '../../design/classes.ts';
import { ArrowDown, ArrowUp } from '../../design/icons.tsx';
import { COLUMNS, type Column, nextOrder, type Order } from './endpoint-order.ts';
import { RECENT } from './recent-executions.ts';
import { TABLE } from './table.ts';

interface EndpointHeadersProps {
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
}

/** The headers above the rows, most of which order them; each cell of a row names itself for screen readers. */
export function EndpointHeaders({ order, onOrder }: EndpointHeadersProps) {
  const header = (by: Column, look: string) => (
    <Header
      label={COLUMNS[by].label}
      direction={order.by === by ? order.direction : undefined}
      look={look}
      onPress={() => onOrder(nextOrder(order, by))}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a legend above the headers
    <div role="group" aria-label="Order by" className={classes(TABLE, 'mx-4 text-xs text-soft')}>
      <span />
      <span />
      {header('name', 'inline-flex')}
      <span aria-hidden className="hidden 2xl:block">
        Command
      </span>
      <span aria-hidden className="hidden text-right md:block">
        Last {RECENT} runs
      </span>
      {header('success', 'hidden md:inline-flex justify-end')}
      {header('p95', 'hidden md:inline-flex justify-end')}
      {header('last', 'inline-flex justify-end')}
      {header('agent', 'hidden pl-3 xl:inline-flex')}
      <span />
    </div>
  );
}

interface HeaderProps {
  readonly label: string;
  /** Undefined: the rows have another order. */
  readonly direction: Order['direction'] | undefined;
  readonly look: string;
  readonly onPress: () => void;
}

function Header({ label, direction, look, onPress }: HeaderProps) {
  const Arrow = direction === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      aria-pressed={direction !== undefined}
      onClick={onPress}
      className={classes(
        'min-h-6 cursor-pointer items-center gap-1 whitespace-nowrap hover:text-ink pointer-coarse:min-h-11',
        direction !== undefined && 'font-semibold text-ink',
        look,
      )}
    >
      {label}
      {direction !== undefined && (
        <>
          <Arrow className="size-3" />
          <span className="sr-only">{direction}</span>
        </>
      )}
    </button>
  );
}
