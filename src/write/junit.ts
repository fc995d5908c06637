/** Test results as JUnit XML, which continuous integration shows. */
import { escapeControls } from '../record/control-characters.js';

export interface TestCase {
  readonly className: string;
  readonly name: string;
  /** `error` is for what could not be judged. */
  readonly outcome: 'passed' | 'failure' | 'error' | 'skipped';
  readonly message: string;
}

export interface TestSuite {
  readonly name: string;
  /** Notes, as properties `note 1`, `note 2` … */
  readonly notes: readonly string[];
  readonly cases: readonly TestCase[];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
/** Characters that XML 1.0 has no place for, besides control characters: noncharacters and lone surrogates. */
const NO_CHARACTER = /[\ufffe\uffff]|\p{Surrogate}/gu;

/** A text as the value of an attribute or as the content of an element. */
const xml = (text: string): string =>
  escapeControls(text)
    .replace(NO_CHARACTER, '?')
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** The document: one suite, its notes, its cases. */
export function junit({ name, notes, cases }: TestSuite): string {
  const count = (outcome: TestCase['outcome']): number => cases.filter((one) => one.outcome === outcome).length;
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(name)}" ${counts}>`,
    '    <properties>',
    ...notes.map((note, i) => `      <property name="note ${i + 1}" value="${xml(note)}"/>`),
    '    </properties>',
    ...cases.map(caseText),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseText({ className, name, outcome, message }: TestCase): string {
  const content =
    outcome === 'passed' ? `<system-out>${xml(message)}</system-out>` : `<${outcome} message="${xml(message)}"/>`;
  return `    <testcase classname="${xml(className)}" name="${xml(name)}">${content}</testcase>`;
}
