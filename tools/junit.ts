/** The result of a test: its name after those of the blocks around it. */
export interface Tested {
  readonly file: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Reads the report that `bun test --reporter=junit` writes. */
export function testedIn(report: string): Tested[] {
  return [...report.matchAll(/<testcase ([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)].map(
    ([, attributes = '', , content = '']) => {
      const [within, name] = [attribute(attributes, 'classname'), attribute(attributes, 'name')];
      const failed = /<(?:failure|error)\b/.test(content);
      const skipped = content.includes('<skipped');
      return {
        file: attribute(attributes, 'file'),
        name: within === '' ? name : `${within} > ${name}`,
        outcome: failed ? 'failed' : skipped ? 'skipped' : 'passed',
      };
    },
  );
}

function attribute(attributes: string, name: string): string {
  const [, value = ''] = new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes) ?? [];
  return value.replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, entity: string) => {
    if (!entity.startsWith('#')) return ENTITIES[entity] ?? whole;
    const code = entity.startsWith('#x') ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
    return String.fromCodePoint(code);
  });
}
