import { deployText, deployYaml } from '../deploy-files.ts';

/** An expression, and its place for the person who has to change it. */
export interface PlacedExpression {
  readonly where: string;
  readonly expression: string;
}

interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] };
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

export function rules(): Rule[] {
  return (deployYaml('prometheus/alerts.yaml') as Rules[]).flatMap(({ groups }) =>
    groups.flatMap((group) => group.rules),
  );
}

export function dashboard(): Dashboard {
  return JSON.parse(deployText('grafana/dashboard.json')) as Dashboard;
}

/** Every expression that Prometheus is asked: by rules, panels, annotations and variables. */
export function allExpressions(): PlacedExpression[] {
  const { panels, annotations, templating } = dashboard();
  return [
    ...rules().map(({ alert, expr }) => ({ where: alert, expression: expr })),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({ where: `${title}: ${legendFormat}`, expression: expr })),
    ),
    ...annotations.list.map(({ name, expr }) => ({ where: name, expression: expr })),
    ...templating.list.flatMap(({ name, definition }) => {
      const [, selector] = /^label_values\((.*), \w+\)$/.exec(definition ?? '') ?? [];
      return selector === undefined ? [] : [{ where: `$${name}`, expression: selector }];
    }),
  ];
}
