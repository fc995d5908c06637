/** What dprof is measured with: its answers over one file of records, each of which says the name of a row. */
import { join } from 'node:path';
import type { Command } from './measure.js';

type Answer = (records: string) => readonly string[];

const ANSWERS: Readonly<Record<string, Answer>> = {
  table: (records) => ['--csv', records],
  by: (records) => ['--by', 'layer,op', '--tree', records],
  summary: (records) => ['summary', '-q', records],
  steps: (records) => ['steps', '-q', records],
  stacks: (records) => ['stacks', '-q', records],
  advise: (records) => ['advise', '-q', records],
  html: (records) => ['html', '-q', records],
  perfetto: (records) => ['perfetto', '-q', records],
  'chrome-json': (records) => ['perfetto', '-q', '-f', 'chrome-json', records],
  diff: (records) => ['diff', '-q', records, records],
};

export const ANSWER_NAMES: readonly string[] = Object.keys(ANSWERS);

/**
 * The command of an answer.
 * @param root folder of the checkout whose dprof it is
 */
export function answerCommand(name: string, records: string, root: string): Command {
  const args = ANSWERS[name]?.(records);
  if (args === undefined) throw new Error(`no answer '${name}': one of ${ANSWER_NAMES.join(', ')}`);
  return { program: process.execPath, args: [join(root, 'bin/dprof.js'), ...args] };
}
