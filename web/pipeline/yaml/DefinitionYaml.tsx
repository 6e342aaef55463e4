import { CodeBlock } from '../../design/text/Code.tsx';
import { definitionYaml } from './definition-yaml.ts';

/** A wire definition as YAML, with a button that copies it. */
export function DefinitionYaml({ definition }: { readonly definition: object }) {
  return <CodeBlock text={definitionYaml(definition)} copyLabel="Copy YAML" />;
}
