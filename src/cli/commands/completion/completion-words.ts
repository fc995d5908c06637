/** What shells complete, from the tables of commands and options. */
import type { Option, Tool } from '../../arguments.js';

/** A command, or `dprof` itself with the name ''. */
export interface CompletedCommand {
  readonly name: string;
  readonly title: string;
  readonly options: readonly Option[];
  /** Words that it takes as operands; files where there are none. */
  readonly operands: readonly string[];
}

export const completedCommand = (
  name: string,
  title: string,
  { options }: Tool,
  operands: readonly string[] = [],
): CompletedCommand => ({ name, title, options, operands });

/** `-f`, where there is a short one, and `--format`. */
export const flagsOf = ({ name, short }: Option): string[] => [
  ...(short === undefined ? [] : [`-${short}`]),
  `--${name}`,
];

/** A word of a shell's command, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
