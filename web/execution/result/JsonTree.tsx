import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { ChevronRight } from '../../design/icons.tsx';
import { Visible } from '../../design/text/Code.tsx';
import { ExactNumber, type ExactValue, exactText } from './exact-json.ts';
import { sizeText, type TreeRow, treeRows } from './tree-rows.ts';

const ROW_PX = 22;
const INDENT_PX = 16;
/** Longer text is cut; the copy and the download have all of it. */
const SHOWN_CHARS = 500;

/** A tree of a JSON value, for pointer and arrow keys. */
export function JsonTree({ value }: { readonly value: ExactValue }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(0);
  const rows = useMemo(() => treeRows(value, toggled), [value, toggled]);
  const element = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => element.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const toggle = ({ path }: TreeRow) => {
    const next = new Set(toggled);
    if (!next.delete(path)) next.add(path);
    setToggled(next);
  };
  const goTo = (index: number) => {
    const next = Math.min(Math.max(index, 0), rows.length - 1);
    setActive(next);
    virtual.scrollToIndex(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active];
    const done = row !== undefined && treeKey(event.key, { row, active, rows, goTo, toggle });
    if (done) event.preventDefault();
  };
  return (
    <div
      ref={element}
      role="tree"
      tabIndex={0}
      aria-label="Result"
      aria-activedescendant={`tree-${active}`}
      onKeyDown={onKeyDown}
      className="min-h-0 overflow-auto bg-output py-1 font-mono text-sm"
    >
      <div className="relative w-max min-w-full" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return (
            row && (
              <Row
                key={row.path}
                row={row}
                id={`tree-${index}`}
                top={start}
                isActive={index === active}
                onPress={() => {
                  setActive(index);
                  if (row.size !== undefined) toggle(row);
                }}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

interface TreeMoves {
  readonly row: TreeRow;
  readonly active: number;
  readonly rows: readonly TreeRow[];
  readonly goTo: (index: number) => void;
  readonly toggle: (row: TreeRow) => void;
}

/** Handles the keys of a tree (WAI-ARIA). Returns whether the key was one of them. */
function treeKey(key: string, { row, active, rows, goTo, toggle }: TreeMoves): boolean {
  const above = rows.slice(0, active).findLastIndex(({ depth }) => depth < row.depth);
  const moves: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: () => goTo(active + 1),
    ArrowUp: () => goTo(active - 1),
    Home: () => goTo(0),
    End: () => goTo(rows.length - 1),
    ArrowRight: () => (row.isOpen || !row.size ? goTo(active + 1) : toggle(row)),
    ArrowLeft: () => (row.isOpen ? toggle(row) : goTo(Math.max(above, 0))),
    Enter: () => row.size !== undefined && toggle(row),
    ' ': () => row.size !== undefined && toggle(row),
  };
  moves[key]?.();
  return moves[key] !== undefined;
}

interface RowProps {
  readonly row: TreeRow;
  readonly id: string;
  readonly top: number;
  readonly isActive: boolean;
  readonly onPress: () => void;
}

function Row({ row, id, top, isActive, onPress }: RowProps) {
  const { name, depth, size, isOpen, value } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree element handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree element has the focus
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={size === undefined ? undefined : isOpen}
      aria-selected={isActive}
      onClick={onPress}
      className="absolute left-0 flex h-[22px] w-max min-w-full cursor-default items-center gap-2 pr-4 whitespace-pre aria-selected:bg-accent-wash"
      style={{ top, paddingLeft: 12 + depth * INDENT_PX }}
    >
      <span className="w-3 text-soft">
        {size !== undefined && size > 0 && <ChevronRight className={isOpen ? 'rotate-90' : ''} />}
      </span>
      {name !== undefined && (
        <span className="text-soft">
          <Visible text={String(name)} />:
        </span>
      )}
      <Leaf value={value} row={row} />
    </div>
  );
}

function Leaf({ value, row }: { readonly value: ExactValue; readonly row: TreeRow }) {
  if (row.size !== undefined)
    return (
      <span className="text-soft">{row.isOpen ? (Array.isArray(value) ? '[' : '{') : sizeText(row)}</span>
    );
  const text = exactText(value);
  const shown = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  const isNumber = typeof value === 'number' || value instanceof ExactNumber;
  return (
    <span className={typeof value === 'string' ? 'text-good' : isNumber ? 'text-running' : 'text-never'}>
      <Visible text={shown} />
    </span>
  );
}
