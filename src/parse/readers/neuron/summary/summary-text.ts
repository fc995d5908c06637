/** summary-text: one metric a line, name and value separated by blanks or tabs. */
import { isDecimal } from '../../../../record/units.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { UserError } from '../../../../record/errors.js';
import { areMetrics } from './known-metrics.js';
import type { MetricValue, SummaryNode } from './summary-records.js';

/** Of a trimmed line. */
const LINE = /^([A-Za-z_][\w.]*)[ \t]+(\S.*)$/;

/** Values as the tool's web pages show them: scaled, with a unit, rounded. */
const SCALED = /^[-+]?\d[\d,.]*\s*(?:[munµμ]?s|%|[KMGTP]?i?B(?:\/s|ps)?|bytes|[KMGTP]?FLOP(?:s|S|\/s|S\/s)?)$/;

const TEXTS = /_(?:version|type)$/;

/** Number of lines that are examined for detection. */
const FIRST_LINES = 12;

/** Copied tables may have borders. */
const withoutBorders = (line: string): string => line.replace(/[|│]/g, ' ');

const linesOf = (text: string): string[] =>
  text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => withoutBorders(line).trim())
    .filter((line) => /[^\s+=─-]/.test(line));

/** Whether the first lines are metrics. */
export function isSummaryText(text: string): boolean {
  const lines = linesOf(text).slice(0, FIRST_LINES);
  const rows = lines.flatMap((line) => {
    const [, name, value] = LINE.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  // Prose may mention metrics, but without values.
  const measured = rows.filter(({ name, value }) => isDecimal(value) || SCALED.test(value) || TEXTS.test(name));
  // One line may be a heading.
  return rows.length >= lines.length - 1 && areMetrics(measured.map(({ name }) => name));
}

/**
 * Reads the nodes of a summary: a repeated metric begins the next one.
 * @throws UserError for values that were scaled for display, or without any known metric
 */
export function readSummaryText(text: string, file: string, diagnostics: Diagnostics): SummaryNode[] {
  const nodes: Map<string, MetricValue>[] = [];
  for (const line of linesOf(text)) {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      diagnostics.count('bad-row');
      continue;
    }
    if (SCALED.test(value)) throw scaled(name, value, file);
    if (nodes.at(-1)?.has(name) !== false) nodes.push(new Map());
    nodes.at(-1)?.set(name, isDecimal(value) ? Number(value) : value);
  }
  if (!nodes.some((metrics) => areMetrics(metrics.keys()))) {
    throw new UserError('is text without any known metric of a summary', {
      where: file,
      hint: 'write it by: neuron-profile view --output-format summary-text',
    });
  }
  return nodes.map((metrics, i) => ({ name: nodes.length === 1 ? null : i, metrics: [...metrics] }));
}

const scaled = (name: string, value: string, file: string): UserError =>
  new UserError(`is a table as the tool's pages show it, with scaled values: ${name} ${value}`, {
    where: file,
    hint: 'write exact values by: neuron-profile view --output-format summary-text',
  });
