import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatProblem } from '../config/problem.ts';
import { templateFile, templateOf } from './fixtures/templates.ts';
import { readTemplate } from './read-template.ts';

function problemsOf(text: string, templateId = 'logs'): string[] {
  const read = readTemplate(templateId, text);
  return read.kind === 'problems' ? read.problems.map((problem) => formatProblem('t', problem)) : [];
}

describe('a template', () => {
  test('is what its file says, and the file itself', () => {
    expect(templateOf('docker-logs')).toEqual({
      templateId: 'docker-logs',
      name: 'Logs of containers',
      description: 'Shows what a program wrote',
      tags: ['docker', 'tail'],
      category: 'Docker',
      endpoints: [expect.objectContaining({ slug: 'logs' }), expect.objectContaining({ slug: 'nightly' })],
      yaml: templateFile(),
    });
  });

  test('must say what it is', () => {
    expect(problemsOf('version: 1\nendpoints: [{name: a, command: b}]\n')).toEqual([
      't:1:1: key "template" is missing: name, description, tags and category expected',
    ]);
  });

  test('says every mistake with its place, in what it is and in its endpoints alike', () => {
    const text = templateFile({ tags: '[Docker]', category: 'docker', author: 'me' });
    expect(problemsOf(text.replace('approval_required: true', 'approval_requird: true'))).toEqual([
      't:5:10: template.tags[0] "Docker": up to 32 lower-case letters, digits and "-", the first no "-", expected',
      't:6:13: template.category "docker": Deployment, Docker, Database, Git, Monitoring, Cron Jobs or Files expected; did you mean "Docker"?',
      't:7:3: unknown key "author": name, description, tags, category are known here',
      't:12:5: unknown key "approval_requird": did you mean "approval_required"?',
    ]);
  });

  test('must not hold what a user would be warned of', () => {
    expect(problemsOf(templateFile().replace('approval_required: true', 'allow_self: false'))).toEqual([
      't:11:5: allow_self does nothing without "approval_required: true"',
    ]);
    expect(problemsOf(templateFile().replace(/endpoints:[\s\S]*/, 'endpoints: []\n'))).toEqual([
      't:7:1: there are no endpoints: nothing can be called',
    ]);
  });

  test('has an id that can stand in a URL', () => {
    expect(problemsOf(templateFile(), 'Docker logs')).toEqual([
      't:1:1: "Docker logs" is no template id: lower-case letters, digits, "_" and "-" expected',
    ]);
  });

  test('is never an exception, whatever the text', () => {
    const lines = templateFile().split('\n');
    const cut = fc.integer({ min: 0, max: lines.length });
    fc.assert(
      fc.property(cut, fc.string(), (at, text) => {
        const broken = [...lines.slice(0, at), text, ...lines.slice(at + 1)].join('\n');
        const read = readTemplate('x', broken);
        expect(read.kind === 'template' || read.problems.length > 0).toBe(true);
      }),
    );
  });
});
