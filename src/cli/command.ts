/** The interface of a `dprof` command, and its entry in the table of commands. */
import { parseArguments, type Arguments, type Tool } from './arguments.js';

/** Usage line of `dprof`, for its help and for messages of code that reads its input. */
export const USAGE = 'dprof [OPTION...] [FILE...]';

export interface Command {
  readonly tool: Tool;
  /** Runs the command; not called when its help is requested. */
  readonly run: (given: Arguments) => Promise<void>;
}

export interface CommandEntry {
  /** One line for the help. */
  readonly title: string;
  readonly load: () => Promise<Command>;
}

/**
 * Runs a command with the arguments after its name.
 * @param shown the arguments that a JSON document names instead, for a command that the user did not write
 */
export const runWith = ({ tool, run }: Command, args: readonly string[], shown = args): Promise<void> =>
  run(parseArguments(tool, args, shown));
