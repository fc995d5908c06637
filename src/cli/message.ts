/** What the tools say on stderr: one line each. */
import { legible } from '../record/control-characters.js';

/** The name of a tool, which goes before each of its messages. */
export type ToolName = 'dparse' | 'dprof';

/** Says something in one line. @param text may name files and quote input */
export function say(tool: ToolName, text: string): void {
  process.stderr.write(`${tool}: ${legible(text)}\n`);
}
