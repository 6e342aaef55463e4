import { type Refusal, refuse } from '../refusal.ts';
import { type ToolResult, textResult } from './call-result.ts';
import type { McpTool } from './tool.ts';

/** More tools than these are not listed one by one: each costs the agent tokens in every turn. */
export const MAX_LISTED_TOOLS = 40;

/** The tools that an address asks for. It narrows the list of the key and never widens it. */
export interface ToolSelection {
  /** Names, or beginnings that end in `*`; undefined: all. */
  readonly names: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  readonly mode: 'list' | 'search' | undefined;
}

export function isSelected(
  { names, isReadOnly }: ToolSelection,
  tool: Pick<McpTool, 'name' | 'annotations'>,
) {
  if (isReadOnly && !tool.annotations.readOnlyHint) return false;
  return names === undefined || names.some((name) => matches(name, tool.name));
}

function matches(name: string, slug: string): boolean {
  return name.endsWith('*') ? slug.startsWith(name.slice(0, -1)) : slug === name;
}

/** Whether the tools are found by search instead of listed. */
export function isSearched({ mode }: ToolSelection, count: number): boolean {
  return mode === undefined ? count > MAX_LISTED_TOOLS : mode === 'search';
}

/** One tool in an answer of a search. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
}

const MAX_FOUND = 20;
const DESCRIPTION_CHARS = 160;

/**
 * The tools that fit a query best: those whose name has a word of it, then those whose description has one. An empty query finds the
 * first tools by name.
 */
export function findTools(tools: readonly McpTool[], query: string): readonly FoundTool[] {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const scored = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0 || words.length === 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1));
  return scored.slice(0, MAX_FOUND).map(({ tool: { name, description } }) => ({
    name,
    description: [...description].slice(0, DESCRIPTION_CHARS).join(''),
  }));
}

/** The answer of `svc_find`. */
export function foundResult(tools: readonly McpTool[], query: string): ToolResult {
  const lines = findTools(tools, query).map(({ name, description }) => `${name}: ${description}`);
  return textResult(lines.length === 0 ? 'Nothing fits.' : lines.join('\n'), { isError: false });
}

/** The refusal of every name that is no tool of the agent. */
export function noSuchTool(name: string): Refusal {
  return refuse('not_found', `there is no such tool: ${JSON.stringify(name.slice(0, 100))}`);
}

function scoreOf({ name, description }: McpTool, words: readonly string[]): number {
  const text = description.toLowerCase();
  let score = 0;
  for (const word of words) {
    if (name === word) score += 8;
    else if (name.includes(word)) score += 4;
    if (text.includes(word)) score += 1;
  }
  return score;
}
