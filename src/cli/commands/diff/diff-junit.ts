/**
 * A comparison as JUnit XML: a test case for each condition of --fail-if; without any, one for each row, of which those
 * that got slower fail and those that were not tested are skipped.
 */
import type { DiffRow } from '../../../prof/diff/diff-row.js';
import { clean } from '../../../write/cell-text.js';
import { keyText, SHORT_COLUMNS, shortHeader, shownNumber, type Sheet, TOTAL } from './diff-formats.js';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }; // prettier-ignore
/** What XML 1.0 has no place for, besides control characters; of surrogates those that are alone. */
const NO_CHARACTER = /[\ufffe\uffff]|\p{Surrogate}/gu;

export const xml = (text: string): string =>
  clean(text)
    .replace(NO_CHARACTER, '?')
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

interface Case {
  readonly kind: 'fail-if' | 'row';
  readonly name: string;
  readonly outcome: 'passed' | 'failure' | 'skipped';
  readonly message: string;
}

export function junitOfDiff(sheet: Sheet): string {
  const cases = sheet.result.conditions.length > 0 ? ofConditions(sheet) : ofRows(sheet);
  const count = (outcome: Case['outcome']): number => cases.filter((one) => one.outcome === outcome).length;
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="0" skipped="${count('skipped')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="dprof diff" ${counts}>`,
    '    <properties>',
    ...[...sheet.heading, ...sheet.notes].map(
      (text, i) => `      <property name="note ${i + 1}" value="${xml(text)}"/>`,
    ),
    '    </properties>',
    ...cases.map(caseText),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseText({ kind, name, outcome, message }: Case): string {
  const open = `    <testcase classname="dprof.diff.${kind}" name="${xml(name)}"`;
  const inside = outcome === 'passed' ? `<system-out>${xml(message)}</system-out>` : `<${outcome} message="${xml(message)}"/>`; // prettier-ignore
  return `${open}>${inside}</testcase>`;
}

const ofConditions = ({ result }: Sheet): Case[] =>
  result.conditions.map(({ condition, met, row }) => ({
    kind: 'fail-if',
    name: condition.text,
    outcome: met === null ? 'skipped' : met ? 'failure' : 'passed',
    message: met === null ? 'no kernel of either input matches' : numbersOf(row),
  }));

const ofRows = ({ result, rows, by }: Sheet): Case[] =>
  [result.total, ...rows].map((row) => ({
    kind: 'row',
    name: row === result.total ? TOTAL : row.keys.map((key, i) => `${by[i] ?? ''}=${keyText(key)}`).join(' '),
    outcome: row.verdict === 'slower' ? 'failure' : row.verdict === 'too-few-samples' ? 'skipped' : 'passed',
    message: numbersOf(row),
  }));

/** `slower, change_% +3.01, change_us +12.500, …`. */
const numbersOf = (row: DiffRow): string =>
  [row.verdict, ...SHORT_COLUMNS.map((column) => `${shortHeader(column)} ${shownNumber(column, row)}`)].join(', ');
