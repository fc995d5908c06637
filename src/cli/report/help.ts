/** `dprof --help`. */
import { helpOf } from '../arguments.js';
import { COMMANDS } from '../commands.js';
import { DPROF } from './report-options.js';

/** The manual page has them all. */
const EXAMPLES_IN_HELP = 3;

const COMMAND_LINES = [
  'Commands, each with a --help of its own (a file of that name: ./NAME):',
  ...Object.entries(COMMANDS).map(([name, { title }]) => `  ${name.padEnd(10)} ${title}`),
];

export const helpText = (): string =>
  helpOf({
    ...DPROF,
    notes: [COMMAND_LINES, ...(DPROF.notes ?? [])],
    examples: DPROF.examples.slice(0, EXAMPLES_IN_HELP),
  });
