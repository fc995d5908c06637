import { expect } from 'chai';
import { junit, type TestCase } from '../../src/cli/commands/diff/diff.js';

const one = (name: string, outcome: TestCase['outcome'], message = ''): TestCase => ({
  ...{ className: 'suite.case', name, outcome, message },
});

describe('junit', () => {
  it('counts outcomes, for the document and its suite', () => {
    const text = junit({
      name: 'diff',
      notes: [],
      cases: [one('a', 'passed'), one('b', 'failure'), one('c', 'skipped'), one('d', 'error'), one('e', 'error')],
    });
    const counts = 'tests="5" failures="1" errors="2" skipped="1"';
    expect(text).to.include(`<testsuites ${counts}>\n  <testsuite name="diff" ${counts}>\n`);
  });

  it('has a message in the element that its outcome asks for', () => {
    const text = junit({ name: '', notes: [], cases: [one('a', 'passed', '+1 %'), one('b', 'failure', '+9 %')] });
    expect(text).to.include('name="a"><system-out>+1 %</system-out></testcase>');
    expect(text).to.include('name="b"><failure message="+9 %"/></testcase>');
  });

  it('escapes markup, and replaces what XML has no character for', () => {
    const name = `a<b>&"c"'d'\n\u0000\ufffe\ud800`;
    const text = junit({ name: 'x', notes: ['1 < 2'], cases: [one(name, 'passed')] });
    expect(text).to.include('name="a&lt;b&gt;&amp;&quot;c&quot;&apos;d&apos;\\u000a\\u0000??">');
    expect(text).to.include('<property name="note 1" value="1 &lt; 2"/>');
  });
});
