import { expect, test } from 'bun:test';
import { testedIn } from './junit.ts';

test('a report says of each test where it is, what it is called and what came of it', () => {
  const report = `<testsuites><testsuite name="a.test.ts" file="a.test.ts">
    <testcase name="says &quot;yes&quot; &amp; &#8364;" classname="" time="0.1" file="a.test.ts" line="1" assertions="1" />
    <testsuite name="inner"><testcase name="breaks" classname="outer &gt; inner" time="0" file="a.test.ts" line="2">
      <failure type="AssertionError" /></testcase>
    <testcase name="waits" classname="inner" time="0" file="a.test.ts" line="3"><skipped /></testcase></testsuite>
  </testsuite></testsuites>`;
  expect(testedIn(report)).toEqual([
    { file: 'a.test.ts', name: 'says "yes" & €', outcome: 'passed' },
    { file: 'a.test.ts', name: 'outer > inner > breaks', outcome: 'failed' },
    { file: 'a.test.ts', name: 'inner > waits', outcome: 'skipped' },
  ]);
});
