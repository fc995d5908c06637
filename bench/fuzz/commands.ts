/** The commands that read an input, and what is known of what they print. */
import { COLUMNS } from '../../src/prof/columns/columns.js';
import type { Random } from './random.js';

/** The words that stand for a file. */
export const INPUT = 'INPUT';
export const INTACT = 'INTACT';

export interface ReadingCommand {
  readonly args: readonly string[];
  /** What it prints where it succeeds, JSON also one a line; other text where not given. */
  readonly prints?: 'json' | 'csv';
}

const ALL = COLUMNS.map(({ key }) => key).join(',');

/** Every answer, in every form of its own. */
const COMMANDS: readonly [ReadingCommand, ...ReadingCommand[]] = [
  { args: ['--csv', '-c', ALL, INPUT], prints: 'csv' },
  { args: ['-f', 'json', '-c', ALL, INPUT], prints: 'json' },
  { args: ['-f', 'table', '-c', ALL, '--sort', 'sil', '--top', '20', INPUT] },
  { args: ['-w', '100', INPUT] },
  { args: ['--where', 'sil>500 && flops>=0 || layer~"c"', '-c', 'idx,op,sil,flops', INPUT] },
  { args: ['--explain', '1', INPUT] },
  { args: ['--explain', '7', INPUT] },
  { args: ['--by', 'op', INPUT] },
  { args: ['--by', 'op,dir', '-f', 'json', INPUT], prints: 'json' },
  { args: ['--by', 'layer,op', '--tree', '-w', '120', INPUT] },
  { args: ['--by', 'ranges', '-c', 'passes,host,hostself', '--csv', INPUT], prints: 'csv' },
  { args: ['--by', 'range', '--csv', INPUT], prints: 'csv' },
  { args: ['--by', 'hostop', '-f', 'json', INPUT], prints: 'json' },
  { args: ['--by', 'api', '-c', 'count,host,hostself,p25,p99,stddev,device', '--csv', INPUT], prints: 'csv' },
  { args: ['summary', INPUT] },
  { args: ['summary', '-f', 'json', INPUT], prints: 'json' },
  { args: ['summary', '-f', 'markdown', INPUT] },
  { args: ['summary', '--vendor-metrics', INPUT] },
  { args: ['summary', '--vendor-metrics', '--check', '-f', 'json', INPUT], prints: 'json' },
  { args: ['summary', '--vendor-metrics', '--vendor-names', '-f', 'json', INPUT], prints: 'json' },
  { args: ['advise', '--all', INPUT] },
  { args: ['advise', '--all', '-f', 'json', INPUT], prints: 'json' },
  { args: ['steps', INPUT] },
  { args: ['steps', '-f', 'csv', INPUT], prints: 'csv' },
  { args: ['stacks', INPUT] },
  { args: ['stacks', '-f', 'speedscope', '--collectives', INPUT], prints: 'json' },
  { args: ['memory', INPUT] },
  { args: ['memory', '-f', 'json', INPUT], prints: 'json' },
  { args: ['diff', INTACT, INPUT] },
  { args: ['diff', '-f', 'json', INPUT, INTACT], prints: 'json' },
  { args: ['diff', '-f', 'junit', '--by', 'kernel', INTACT, INPUT] },
  { args: ['stacks', '--host', INPUT] },
  { args: ['memory', '-f', 'timeline', INPUT], prints: 'json' },
  { args: ['summary', '--vendor-names', '--tables', 'all', '-f', 'json', INPUT], prints: 'json' },
  { args: ['perfetto', '--flows', '-f', 'chrome-json', INPUT], prints: 'json' },
  { args: ['monitor', '--stats', '-f', 'json', INPUT], prints: 'json' },
  { args: ['monitor', '--period', '3s', '-f', 'put-metric-data', INPUT], prints: 'json' },
  { args: ['html', INPUT] },
  { args: ['html', '--events', '50', '--step', '1', INPUT] },
  { args: ['perfetto', INPUT] },
  { args: ['perfetto', '-f', 'chrome-json', '--align', 'start', INPUT], prints: 'json' },
  { args: ['ranks', INPUT] },
  { args: ['ranks', '-f', 'json', INPUT], prints: 'json' },
  { args: ['partial', INPUT], prints: 'json' },
  { args: ['merge', INPUT], prints: 'json' },
  { args: ['monitor', '--rows', 'all', INPUT] },
  { args: ['monitor', '-f', 'prometheus', INPUT] },
  { args: ['monitor', '-f', 'emf', INPUT], prints: 'json' },
];

export const chooseCommand = (random: Random): ReadingCommand => random.of(COMMANDS);

/** Cells with a number that is not finite, or with a value that JavaScript cannot print. */
const NO_VALUE = /(?:^|,)(?:NaN|-?Infinity|undefined|\[object Object\])(?:,|$)/m;

/** What is wrong with what a command printed; null when nothing is. */
export function wrongOutput({ prints }: ReadingCommand, text: string): string | null {
  if (prints === 'csv' && NO_VALUE.test(text)) return `prints ${NO_VALUE.exec(text)?.[0] ?? ''}`;
  return prints === 'json' && !isJson(text) && !text.split('\n').every(isJson) ? 'prints what is not JSON' : null;
}

function isJson(text: string): boolean {
  try {
    if (text !== '') JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
