import { parser } from '@prometheus-io/lezer-promql';

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** The inputs of an expression: the names of metrics with their matchers, and the labels that it groups by. */
export interface ReadExpression {
  readonly selectors: readonly { readonly metric: string; readonly matchers: readonly Matcher[] }[];
  readonly grouped: readonly string[];
}

/** The variables that Grafana fills in before it queries Prometheus. */
const FILLED_IN: Readonly<Record<string, string>> = { $__rate_interval: '5m', $hub: '.*' };
const MACRO = /\$\w+/g;

/** Reads an expression of PromQL by Prometheus' own grammar; throws when it is invalid. */
export function readPromql(expression: string): ReadExpression {
  const text = expression.replaceAll(MACRO, (macro) => FILLED_IN[macro] ?? macro);
  const selectors: { metric: string; matchers: Matcher[] }[] = [];
  const grouped: string[] = [];
  parser.parse(text).iterate({
    enter({ type, node, from, to }) {
      if (type.isError)
        throw new Error(`no PromQL at ${from}: ${text.slice(0, from)}⟨here⟩${text.slice(from)}`);
      const own = () => text.slice(from, to);
      if (type.name === 'VectorSelector') selectors.push({ metric: '', matchers: [] });
      const selector = selectors.at(-1);
      if (type.name === 'Identifier' && selector !== undefined && selector.metric === '')
        selector.metric = own();
      if (type.name === 'UnquotedLabelMatcher') {
        const part = (name: string) => {
          const child = node.getChild(name);
          return child === null ? '' : text.slice(child.from, child.to);
        };
        const value = part('StringLiteral').slice(1, -1);
        selector?.matchers.push({ label: part('LabelName'), operator: part('MatchOp'), value });
      }
      if (type.name === 'LabelName' && node.parent?.type.name === 'GroupingLabels') grouped.push(own());
    },
  });
  return { selectors, grouped };
}
