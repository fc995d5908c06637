/** `dprof --help`. */
import { optionLines } from '../arguments.js';
import { COMMANDS } from '../commands.js';
import { DPROF, EXAMPLES, MEMORY } from './report-options.js';

/** The manual page has them all. */
const EXAMPLES_IN_HELP = 3;

export function helpText(): string {
  return [
    `Usage: ${DPROF.usage}`,
    'Which op and layer launched each kernel, how many FLOPs and bytes it needed.',
    '',
    'FILE: records of dparse (also .gz), a net.dict of PyProf, or a profile. Default: stdin.',
    '',
    'Options:',
    ...optionLines(DPROF.options),
    '',
    'Commands, each with a --help of its own (a file of that name: ./NAME):',
    ...Object.entries(COMMANDS).map(([name, { title }]) => `  ${name.padEnd(10)} ${title}`),
    '',
    ...MEMORY,
    '',
    'Examples:',
    ...EXAMPLES.slice(0, EXAMPLES_IN_HELP).map((example) => `  ${example}`),
    '',
  ].join('\n');
}
