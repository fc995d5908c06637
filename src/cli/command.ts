/** What a command of `dprof` is, and its entry in the table of commands. */
import type { Tool } from './arguments.js';

export interface Command {
  readonly tool: Tool;
  readonly run: (args: readonly string[]) => Promise<void>;
}

export interface CommandEntry {
  /** One line for the help. */
  readonly title: string;
  readonly load: () => Promise<Command>;
}
