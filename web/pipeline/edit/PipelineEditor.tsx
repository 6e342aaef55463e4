import { TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { Button } from '../../design/Button.tsx';
import type { ShownNode } from '../canvas/cards.ts';
import { PipelineCanvas } from '../canvas/PipelineCanvas.tsx';
import { connected, disconnected, withCondition, without, withStep } from '../graph/changes.ts';
import { issuesByNode, type PipelineIssue } from '../graph/issues.ts';
import { NodePanel } from './NodePanel.tsx';
import type { Draft } from './use-draft.ts';

interface PipelineEditorProps {
  readonly draft: Draft;
  readonly issues: readonly PipelineIssue[];
  readonly hasSecret: boolean;
  /** The save button. */
  readonly actions: ReactNode;
}

/** The graph, and beside it the settings of the selected card. */
export function PipelineEditor({ draft, issues, hasSecret, actions }: PipelineEditorProps) {
  const { pipeline, change } = draft;
  const [{ selected, panel }, setSelection] = useState<Selection>({ selected: TRIGGER_ID, panel: 0 });
  const select = (id: string | undefined) =>
    setSelection((before) => (before.selected === id ? before : { selected: id, panel: before.panel + 1 }));
  useUndoKeys(draft);
  const byNode = useMemo(() => issuesByNode(pipeline, issues), [pipeline, issues]);
  const shown = useMemo(() => shownIssues(byNode), [byNode]);
  const after = selected ?? pipeline.nodes.at(-1)?.id ?? TRIGGER_ID;
  const add = (kind: 'step' | 'condition') => {
    const [next, id] = kind === 'step' ? withStep(pipeline, '', after) : withCondition(pipeline, after);
    change(() => next);
    select(id);
  };
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <Button onClick={() => add('step')}>Add step after {after}</Button>
          <Button onClick={() => add('condition')}>Add condition</Button>
          <span className="flex gap-2">
            <Button kind="plain" onClick={draft.undo} why={draft.canUndo ? undefined : 'Nothing to undo.'}>
              Undo
            </Button>
            <Button kind="plain" onClick={draft.redo} why={draft.canRedo ? undefined : 'Nothing to redo.'}>
              Redo
            </Button>
          </span>
          <span className="ml-auto flex gap-2">{actions}</span>
        </div>
        <PipelineCanvas
          pipeline={pipeline}
          shown={shown}
          selected={selected}
          onSelect={select}
          editing={{
            onConnect: (from, to, when) => change((drawn) => connected(drawn, from, to, when)),
            onDisconnect: (edge) => change((drawn) => disconnected(drawn, edge)),
            onRemove: (id) => change((drawn) => without(drawn, id)),
          }}
        />
        <Problems byNode={byNode} onSelect={select} />
      </div>
      {selected !== undefined && (
        <NodePanel
          key={panel}
          pipeline={pipeline}
          id={selected}
          issues={byNode.get(selected) ?? []}
          hasSecret={hasSecret}
          onChange={change}
          onRemoved={() => select(undefined)}
          onRenamed={(id) => setSelection({ selected: id, panel })}
        />
      )}
    </div>
  );
}

interface Selection {
  readonly selected: string | undefined;
  /** Another number with each selected card. A card that is renamed keeps its panel, and so the focus in it. */
  readonly panel: number;
}

function shownIssues(byNode: ReadonlyMap<string, readonly PipelineIssue[]>): ReadonlyMap<string, ShownNode> {
  return new Map([...byNode].map(([id, list]) => [id, { problem: list[0]?.message }]));
}

interface ProblemsProps {
  readonly byNode: ReadonlyMap<string, readonly PipelineIssue[]>;
  readonly onSelect: (id: string) => void;
}

/** Every problem in full, with a button that opens the card it is on. */
function Problems({ byNode, onSelect }: ProblemsProps) {
  const all = [...byNode].flatMap(([id, list]) => list.map((issue) => ({ id, ...issue })));
  if (all.length === 0)
    return (
      <p role="status" className="text-sm text-soft">
        Drag from a handle to another card to set the order.
      </p>
    );
  return (
    <div role="status" className="rounded bg-bad-wash px-3 py-2">
      <p className="font-semibold text-bad">{all.length === 1 ? '1 problem' : `${all.length} problems`}</p>
      <ul>
        {all.map(({ id, path, message }) => (
          <li key={`${path} ${message}`} className="wrap-anywhere">
            {id === '' ? (
              <span className="font-semibold">{path === 'slug' ? 'Name' : path}</span>
            ) : (
              <button
                type="button"
                onClick={() => onSelect(id)}
                className="cursor-pointer font-mono font-semibold text-accent hover:underline"
              >
                {id}
              </button>
            )}
            {': '}
            {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Ctrl+Z or ⌘Z, with Shift to redo. Text fields keep their own undo. */
function useUndoKeys({ undo, redo }: Draft): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]');
      if (isTyping || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
      event.preventDefault();
      if (event.shiftKey) redo();
      else undo();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [undo, redo]);
}
