/** What shells complete, from the tables of commands and options. */
import type { Option, Tool } from '../../arguments.js';

/** A command, or `dprof` itself with the name ''. */
export interface CompletedCommand {
  readonly name: string;
  readonly title: string;
  readonly options: readonly CompletedOption[];
  /** Words that it takes as operands; files where there are none. */
  readonly operands: readonly string[];
}

export interface CompletedOption {
  /** `--format`, and `-f` where there is a short one. */
  readonly flags: readonly string[];
  readonly help: string;
  /** Name of the value; null for a switch. */
  readonly takes: string | null;
  /** Values; a file name where there are none. */
  readonly values: readonly string[];
  /** Whether the value is a comma-separated list. */
  readonly isList: boolean;
}

const completedOption = ({ name, short, takes, help, values = [], list = false }: Option): CompletedOption => ({
  flags: [...(short === undefined ? [] : [`-${short}`]), `--${name}`],
  help,
  takes: takes ?? null,
  values,
  isList: list,
});

export const completedCommand = (
  name: string,
  title: string,
  tool: Tool,
  operands: readonly string[] = [],
): CompletedCommand => ({ name, title, options: tool.options.map(completedOption), operands });

/** A word of a shell's command, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
